import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { realData } from './real-data'

const folder = fileURLToPath(new URL('schemas/', realData))

const readSchema = (path: string) => JSON.parse(readFileSync(folder + path, 'utf8')) as Record<string, unknown>
const options = { strict: false, allErrors: true, validateFormats: true } as const

type Validate = ReturnType<Ajv['compile']>
const compiled = new Map<string, Validate>()

/** The errors of a document by the official schema of a CycloneDX version. */
export function cyclonedxErrors(version: string, document: unknown) {
  return listErrors(document, `cyclonedx ${version}`, () => {
    const ajv = new Ajv(options)
    formats.default(ajv)
    for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true)
    for (const file of readdirSync(`${folder}cyclonedx`).filter((name) => !name.startsWith('bom-')))
      ajv.addSchema(readSchema(`cyclonedx/${file}`))
    const { $schema: _, ...schema } = readSchema(`cyclonedx/bom-${version}.schema.json`)
    return ajv.compile(schema)
  })
}

export function openvexErrors(document: unknown) {
  return listErrors(document, 'openvex', () => {
    const ajv = new Ajv2020(options)
    formats.default(ajv)
    // RFC 3987: a scheme, and none of the signs that are never part of an identifier.
    ajv.addFormat('iri', /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i)
    return ajv.compile(readSchema('openvex/openvex_json_schema.json'))
  })
}

export function csafErrors(document: unknown) {
  return listErrors(document, 'csaf', () => {
    const ajv = new Ajv2020(options)
    formats.default(ajv)
    for (const version of ['v2.0', 'v3.0', 'v3.1']) {
      const { $schema: _, id: __, ...schema } = readSchema(`csaf/cvss-${version}.json`)
      ajv.addSchema(schema, `https://www.first.org/cvss/cvss-${version}.json`)
    }
    return ajv.compile(readSchema('csaf/csaf_json_schema.json'))
  })
}

// Compiling takes longer than a hundred documents.
function listErrors(document: unknown, key: string, compile: () => Validate) {
  const validate = compiled.get(key) ?? compile()
  compiled.set(key, validate)
  validate(document)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
