import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Figure = { what: string; figure: string; bound?: string }

const file = fileURLToPath(new URL('./README.md', import.meta.url))
const heading = /^## (.+)$/
const columns = ['what', 'bound', 'before', 'now']

/** Prints figures and writes them into the README: into the column `now` of their part, beside `before`. */
export function noteFigures(part: string, figures: Figure[]) {
  for (const { what, figure, bound } of figures)
    console.log(`${part}: ${what.padEnd(48)} ${figure}${bound ? ` (at most ${bound})` : ''}`)
  const sections = readFileSync(file, 'utf8').split(/\n(?=## )/)
  const at = sections.findIndex((section) => heading.exec(section.split('\n')[0] ?? '')?.[1] === part)
  if (at === -1) sections.push(withFigures(`## ${part}\n`, figures))
  else sections[at] = withFigures(sections[at] ?? '', figures)
  writeFileSync(file, `${sections.join('\n').trimEnd()}\n`)
}

function withFigures(section: string, figures: Figure[]) {
  const lines = section.split('\n')
  const text = lines
    .filter((line) => !line.startsWith('|'))
    .join('\n')
    .trimEnd()
  const rows = new Map(lines.filter(isRow).map((line) => [splitCells(line)[0] ?? '', splitCells(line)]))
  for (const { what, figure, bound = '' } of figures) rows.set(what, [what, bound, rows.get(what)?.[2] ?? '', figure])
  return `${text}\n\n${formatTable([...rows.values()])}\n`
}

const isRow = (line: string) =>
  line.startsWith('|') && !/^\|[ -]+\|[ -:|]+$/.test(line) && splitCells(line)[0] !== 'what'
const splitCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

// As oxfmt writes a table.
function formatTable(rows: string[][]) {
  const widths = columns.map((name, at) => Math.max(name.length, ...rows.map((cells) => (cells[at] ?? '').length)))
  const line = (cells: string[]) => `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [line(columns), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}
