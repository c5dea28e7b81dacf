import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const folder = fileURLToPath(new URL('../../../shared/schemas/', import.meta.url))
export const hasSchemas = existsSync(folder)

const readSchema = (path: string) => JSON.parse(readFileSync(folder + path, 'utf8')) as Record<string, unknown>
const options = { strict: false, allErrors: true, validateFormats: true } as const

/** What the official schema of a CycloneDX version has against a document. */
export function cyclonedxErrors(version: string, document: unknown) {
  const ajv = new Ajv(options)
  formats.default(ajv)
  for (const file of readdirSync(`${folder}cyclonedx`).filter((name) => !name.startsWith('bom-')))
    ajv.addSchema(readSchema(`cyclonedx/${file}`))
  const { $schema: _, ...schema } = readSchema(`cyclonedx/bom-${version}.schema.json`)
  return listErrors(ajv, schema, document)
}

export function openvexErrors(document: unknown) {
  const ajv = new Ajv2020(options)
  formats.default(ajv)
  return listErrors(ajv, readSchema('openvex/openvex_json_schema.json'), document)
}

export function csafErrors(document: unknown) {
  const ajv = new Ajv2020(options)
  formats.default(ajv)
  for (const version of ['v2.0', 'v3.0', 'v3.1']) {
    const { $schema: _, id: __, ...schema } = readSchema(`csaf/cvss-${version}.json`)
    ajv.addSchema(schema, `https://www.first.org/cvss/cvss-${version}.json`)
  }
  return listErrors(ajv, readSchema('csaf/csaf_json_schema.json'), document)
}

function listErrors(ajv: Ajv, schema: Record<string, unknown>, document: unknown) {
  const validate = ajv.compile(schema)
  validate(document)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
