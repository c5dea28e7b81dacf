import { fileURLToPath } from 'node:url'
import { normalizePath, type Plugin, type Rolldown } from 'vite'

type Statement = ReturnType<Rolldown.PluginContext['parse']>['body'][number]
type Edit = { start: number; end: number; text: string }

const ours = normalizePath(fileURLToPath(new URL('../', import.meta.url)))

/**
 * Most schemas describe replies, and the web never uses them: it would load and construct them all before its first screen. So its build
 * removes them, and all constants of these rooms' modules that become unused. The worker has already checked replies, and summaries are
 * for the API's document.
 */
export const leanContracts = (rooms = ['worker'], unread = ['reply', 'summary']): Plugin => ({
  name: 'lean-contracts',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /\.ts$/ },
    handler(code, id) {
      if (!rooms.some((room) => id.startsWith(`${ours}${room}/`))) return null
      const edits = this.parse(code).body.flatMap((statement) => findEdits(statement, code, unread))
      return { code: applyEdits(code, edits), map: null }
    },
  },
})

function findEdits(statement: Statement, code: string, unread: string[]): Edit[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type !== 'VariableDeclaration') return []
  return declaration.declarations.flatMap(({ init }) => {
    if (!init || /Function|^Literal$/.test(init.type)) return []
    const isEndpoint =
      init.type === 'CallExpression' && init.callee.type === 'Identifier' && init.callee.name === 'endpoint'
    const [definition] = isEndpoint ? init.arguments : []
    const properties = definition?.type === 'ObjectExpression' ? definition.properties : []
    const cuts = properties.flatMap((property) =>
      property.type === 'Property' && property.key.type === 'Identifier' && unread.includes(property.key.name)
        ? { start: property.start, end: endWithComma(code, property.end), text: '' }
        : [],
    )
    // The bundler keeps what may have side effects, unless it is marked as pure.
    const before = { start: init.start, end: init.start, text: '/* @__PURE__ */ (() => (' }
    return [before, ...cuts, { start: init.end, end: init.end, text: '))()' }]
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
