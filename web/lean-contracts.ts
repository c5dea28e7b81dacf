import type { Plugin, Rolldown } from 'vite'

type Statement = ReturnType<Rolldown.PluginContext['parse']>['body'][number]
type Edit = { start: number; end: number; text: string }

// The worker has checked the answer with its schema, and the words are for the API's document.
const unread = new Set(['reply', 'summary'])

/**
 * Most schemas describe answers, which the web never reads: it would load and build them all before its first screen. So its build
 * takes them out, and each constant of the worker's modules that nothing uses then.
 */
export const leanContracts = (): Plugin => ({
  name: 'lean-contracts',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /\/worker\/.*\.ts$/ },
    handler(code) {
      const edits = this.parse(code).body.flatMap((statement) => findEdits(statement, code))
      return { code: applyEdits(code, edits), map: null }
    },
  },
})

function findEdits(statement: Statement, code: string): Edit[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type !== 'VariableDeclaration') return []
  return declaration.declarations.flatMap(({ init }) => {
    if (init?.type !== 'CallExpression' && init?.type !== 'NewExpression') return []
    const [definition] = init.arguments
    const isEndpoint = init.callee.type === 'Identifier' && init.callee.name === 'endpoint'
    const properties = isEndpoint && definition?.type === 'ObjectExpression' ? definition.properties : []
    const cuts = properties.flatMap((property) =>
      property.type === 'Property' && property.key.type === 'Identifier' && unread.has(property.key.name)
        ? { start: property.start, end: endWithComma(code, property.end), text: '' }
        : [],
    )
    // A call is kept for what it may do, unless it says that it does nothing else.
    const before = { start: init.start, end: init.start, text: '/* @__PURE__ */ (() => ' }
    return [before, ...cuts, { start: init.end, end: init.end, text: ')()' }]
  })
}

const endWithComma = (code: string, end: number) => end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0)

function applyEdits(code: string, edits: Edit[]) {
  let [text, from] = ['', 0]
  for (const edit of edits) {
    text += code.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return text + code.slice(from)
}
