import { parseArgs, type ParseArgsConfig } from 'node:util'
import { describeError } from './failure.ts'

/** `--help` ends the command with its usage, as does anything that it does not take. */
export function readArguments<Config extends ParseArgsConfig>(usage: string, config: Config) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${describeError(error)}\n${usage}`)
    process.exit(2)
  }
}
