import type { Plugin } from 'vite'

type Part = [tag: string, attributes: { d?: string; key: string }]

/**
 * Icons of lines are drawn by one path instead of nine: a page of a list has eighty icons, and so hundreds of elements fewer. Filled ones
 * stay, as one shape may be a hole in another.
 */
export const joinedIcons = (): Plugin => ({
  name: 'joined-icons',
  apply: 'build',
  transform: {
    filter: { id: /@tabler\/icons-react\/dist\/esm\/icons\/Icon\w+\.mjs$/ },
    handler(code) {
      const [node, parts = ''] =
        /(?<=__iconNode = )(\[\[.*\]\])(?=;\nconst \w+ = createReactComponent\("outline")/.exec(code) ?? []
      const joined = node && joinParts(JSON.parse(parts) as Part[])
      return joined ? { code: code.replace(node, () => JSON.stringify(joined)), map: null } : undefined
    },
  },
})

/** Nothing where a part is more than a line that begins at a place of its own. */
function joinParts(parts: Part[]): Part[] | undefined {
  const lines = parts.map(([tag, { d = '', key: _, ...others }]) =>
    tag === 'path' && d.startsWith('M') && Object.keys(others).length === 0 ? d : undefined,
  )
  return lines.includes(undefined) ? undefined : [['path', { d: lines.join(' '), key: 'lines' }]]
}
