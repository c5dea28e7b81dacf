import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/start/options.ts'
import { unnamed } from '../web/named-colours.ts'
import { listSourceFiles } from './support/sources.ts'

const mantine = 'node_modules/@mantine/core'
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

/** The components a file takes from Mantine. */
const usedBy = (file: string) =>
  namesIn(read(file), /^import \{([^}]*)\} from '@mantine\/core'/gm)
    .join()
    .split(',')
    .map((name) => name.trim().split(' ', 1)[0] ?? '')

/** A component and those it is made of. */
function withParts(name: string, known = new Set<string>()): Set<string> {
  const file = `${mantine}/esm/components/${name}/${name}.mjs`
  if (known.has(name) || !existsSync(join(root, file))) return known
  known.add(name)
  for (const part of namesIn(read(file), /from "\.\.\/(\w+)\/\1\.mjs"/g)) withParts(part, known)
  return known
}

/** The styles that a file imports directly or through its own sheet. */
const listStyles = (file: string) =>
  namesIn(read(file), /import '([^']+\.css)'/g).flatMap((path) =>
    namesIn(path.startsWith('.') ? read(join(dirname(file), path)) : path, /@mantine\/core\/styles\/(\w+)\.css/g),
  )

const everywhere = listStyles('web/main.tsx')
const inside = [...everywhere, ...listStyles('web/layout/main-layout.tsx')]
const outside = /^web\/(auth|main|router|theme|layout\/public-layout)/

const screens = listSourceFiles('web').filter((file) => file.endsWith('.tsx'))
const inSettings = [...inside, ...listStyles('web/settings/settings-page.tsx')]

test('a component is shown with its styles, wherever one enters the product', () => {
  const missing = screens.flatMap((file) => {
    const loaded = file.startsWith('web/settings/') ? inSettings : outside.test(file) ? everywhere : inside
    const has = new Set([...loaded, ...listStyles(file)])
    const parts = [...new Set(usedBy(file).flatMap((name) => [...withParts(name)]))]
    return parts
      .filter((name) => existsSync(join(root, mantine, `styles/${name}.css`)) && !has.has(name))
      .map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

const clause = '(?:What(?:ever)?|Who(?:ever|m|se)?)\\b'
const written = ['.github', 'scripts', 'tests', 'web', 'worker']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.(?:css|md|mjs|tsx?)$/.test(name))

/** Sentences of a comment or a README, without headings and tables; one that a line breaks off counts as its parts. */
function listSentences(file: string, line: string) {
  const [, comment = ''] = /(?:^|\s|\{)(?:\/\/|\/?\*{1,2}) (.*)/.exec(line) ?? []
  const text = file.endsWith('.md') ? line.replace(/^[\s>*-]+|^\|.*/, '') : comment
  return text.split(/(?<=[.:;?!]) /)
}

// "What is new waits" hides its subject until its end; "New alerts wait" does not.
test('no comment, test name or sentence of a README begins with a relative clause', () => {
  const sentence = new RegExp(`^${clause}[^?]*$`)
  const title = new RegExp(`^ *(?:test\\b|\\]\\))[^'"\`]*['"\`]${clause}`, 'i')
  const found = ['README.md', ...written].flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => title.test(line) || listSentences(file, line).some((text) => sentence.test(text)))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

test('a colour that a screen names has its shades', () => {
  const left = `(?:${unnamed.join('|')})\\b`
  const names = new RegExp(`\\b(?:color|c|bg)[=:]["'{ ]*${left}|mantine-color-${left}`)
  expect(written.filter((file) => file.startsWith('web/') && names.test(read(file)))).toEqual([])
})
