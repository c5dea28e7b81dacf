import { StartFailure } from './failure.ts'
import { writePrivately } from './private-file.ts'

/** wrangler reads variables from this file, because every user of the machine can see its command line. */
export function writeEnvFile(path: string, vars: Record<string, string | undefined>) {
  const lines = Object.entries(vars).map(([name, value]) =>
    value === undefined ? '' : `${name}=${quote(name, value)}\n`,
  )
  writePrivately(path, lines.join(''))
}

// wrangler reads it with dotenv, which knows no escapes but "\$" and takes a backslash before a quote for part of the value.
function quote(name: string, value: string) {
  const text = value.replaceAll('$', String.raw`\$`)
  const mark = ["'", '`'].find((one) => !value.includes(one))
  if (mark && !value.endsWith('\\')) return mark + text + mark
  if (/^[^\s'"`#][^#\r\n]*$/.test(value) && value.trimEnd() === value) return text
  throw new StartFailure(`${name} has characters that cannot be passed on: avoid # and quotes`)
}
