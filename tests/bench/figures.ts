import { readFileSync, writeFileSync } from 'node:fs'

export type Figure = { what: string; figure: string; bound?: string }
export type BenchPart = keyof typeof parts

/** The measures of each part of the bench, and why a bound that it misses stays missed. */
export const parts = {
  start: `A new isolate before its first request, by wrangler's start-up profile (the least of three). Until each feature was loaded by the first
request for it, this took 4.5 MB and 294 ms, two thirds of them for building schemas.`,
  load: `The first load of the whole mirror, in an isolate that V8 ends beyond the 128 MB of production, beside the raw load of the same rows into the same schema, full text included, by prepared
statements and nothing else. Other work slows it more than the raw load (3.56 times at a load of nine). Of 163 s, to fetch, unpack and read all
sources took 68.5, and 291,000 merges of 222,694 vulnerabilities the other 95. To keep records until all sources have spoken, and to
merge each vulnerability once, would save 22 of these at most, and nobody could read the knowledge base before. Without packing it takes as long
and 844 MB. By native samples 27 % of the thread is SQLite, 8 % zlib, 8 % JSON, 5 % garbage, 4 % regular expressions; no function of ours takes
3 %. Of the database 83 MB are room within pages, 55 of them in four tables, whose rows a later source writes between those of an earlier one.`,
  writes: 'Rows as D1 bills them: each index entry and each piece of a full-text index is one.',
  size: `Full text takes 105 MB of it. Without the places of words quoted words would be no phrase and hits had no rank; another 130 MB are
room within pages, which only a VACUUM gives back, and D1 has none.`,
  latency: `Each route beside one that reads a single row, request by request in turn. Named are the slowest outside their bounds: words that many
have are tested row by row, and a filter that the newest lack reads thousands of rows before its page is full.`,
  search:
    '200 searches, the ten commonest words among them: as the search page asks, as clients of the API do, and newest first.',
  browser: `The largest paint waits until 1.1 MB of script is compiled and run; a service worker keeps it compiled for whoever comes back. Beside a
page of React with one line, the finished list as static HTML, with all styles, cost 57 to 100 ms more on quiet machines. Of 90 layout
takes 29, style 15, decoding and parsing 280 kB about 30, drawing 9. Ten rows are 35 of them; without any the paint came after 1.6 times, so that 1.8
would show five. Icons of one path (231 of 1,031 elements), and styles that no first screen needs (23 kB of 214), went. Flat rows,
containment, shorter summaries, another font, sort icons that are not drawn, and dialogs, menus and tabs without their styles save nothing that
could be told from noise. Drawn by the Worker, list, detail and home would stand as soon; their bundle with \`react-dom/server\` is 1.29 MB, and an
isolate far away begins with the Worker's script, which has 1.94 of the 2 MB that it may have. So no page is drawn for a person, and no session needs a cookie.`,
  world: `The waits of readers for the database from five places: 1, 30, 80, 150 and 150 ms a trip to the primary, and with copies 5 ms to the
nearest one, in the last place 50; a write is known to a copy after 0 to 2 s. The Worker runs on SQLite with trips that last; a screen is over
when all that it asks at once has answered. Milliseconds, p50, in the order of the places.`,
  cost: `On paper: what organizations cost by Cloudflare's prices of November 2026, from measured requests and assumed habits (\`cost.ts\`,
[what breaks first](growth.md)).`,
  guesses: `Rules that guess the products of records whose CNA says "n/a", over the mirror: what each alone adds where no source lists a product, and how
often what it alone guesses is among the products that NVD names of the same CVE.`,
  fairness: `Twenty organizations, quiet and beside one that uploads, edits and sends again in a loop; an isolate of 96 MB.`,
  inventories: `Documents that are judged as they come, and again after news, in an isolate of 96 MB: V8 takes what it may have before it collects
garbage, and ends an isolate that needs more. Reachable at once are at most 42 MB (a collection each 300 ms beside the large document).
Taken on two cores behind a load of twelve; behind a load of two one kernel took 0.18 s, a thousand 4.4 s, and the large document 29.0 s.`,
  week: `A week whose changes come when they came (NVD), at some second of Washington's working day (KEV, which names only days), or at the
weekday and time of Python packages in two years (OSV) and of all dated malicious packages of the mirror, their all-clears too. Each change is a
score, an entry or an advisory of the bench's own; clock, queues and publishers are simulated, OSV and malicious packages are two feeds of one
bucket and ecosystem here. OSV's most in a minute are the records of one large change. SQLite here counts no rows that are read.`,
} as const

const file = `${import.meta.dirname}/README.md`
const intro = `# The bench

\`npm run bench -- <feeds folder> [--only load,writes,…]\` on a machine with nothing else running writes this file: a part a section.
\`BENCH_RUNNING=0.1\` tries \`fairness\` at a tenth of its size. A time alone says little of another machine: each stands beside what
was measured in the same run.`

/** Prints the figures of a part and puts them in the place of those that it had. */
export function noteFigures(part: BenchPart, figures: Figure[]) {
  for (const { what, figure, bound } of figures)
    console.log(`${part}: ${what.padEnd(48)} ${figure}${bound ? ` (at most ${bound})` : ''}`)
  const kept = new Map(
    readFileSync(file, 'utf8')
      .split(/\n(?=## )/)
      .map((section) => [/^## (\w+)/.exec(section)?.[1] ?? '', section.trimEnd()]),
  )
  const [day] = new Date().toISOString().split('T')
  kept.set(part, `## ${part}, ${day}\n\n${parts[part]}\n\n${formatTable(figures)}`)
  const sections = Object.keys(parts).flatMap((name) => kept.get(name) ?? [])
  writeFileSync(file, `${[intro, ...sections].join('\n\n')}\n`)
}

// As oxfmt writes a table.
function formatTable(figures: Figure[]) {
  const rows = figures.map(({ what, figure, bound = '' }) => [what, bound, figure])
  const columns = ['what', 'bound', 'figure']
  const widths = columns.map((name, at) => Math.max(name.length, ...rows.map((cells) => (cells[at] ?? '').length)))
  const line = (cells: string[]) => `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [line(columns), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}
