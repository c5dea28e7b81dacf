import type * as z from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Examples by the name of a field. */
const named = new Map<string, string>([
  ['cveid', 'CVE-2021-44228'],
  ['cve_id', 'CVE-2021-44228'],
  ['cvss2_vector', 'AV:N/AC:L/Au:N/C:P/I:P/A:P'],
  ['cvss3_vector', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'],
  ['cwe', 'CWE-79'],
  ['cpes', 'cpe:2.3:a:openssl:openssl:1.0.1f:*:*:*:*:*:*:*'],
  ['email', 'ann@example.org'],
  ['emails', 'ann@example.org, ben@example.org'],
  ['link', 'https://www.exploit-db.com/exploits/42030'],
  ['references', 'https://example.org/advisory'],
  ['published', '2026-11-18'],
  ['until', '2027-03-31'],
  ['username', 'ann_42'],
  ['first_name', 'Ann'],
  ['last_name', 'Onymous'],
  ['vendor_name', 'openssl'],
  ['product_name', 'openssl'],
  ['package_type', 'npm'],
  ['package_name', 'lodash'],
  ['summary', 'A flaw in the parser lets a visitor run code.'],
  ['comment', 'We patch it on Monday.'],
  ['otp', '123456'],
  ['code', 'abcde-12345'],
  ['domains', 'example.org'],
  ['email_domains', 'example.org'],
  ['issuer', 'https://login.example.org'],
  ...['created_at', 'updated_at', 'modified', 'at', 'date'].map((name): [string, string] => [
    name,
    '2026-11-18T10:00:00Z',
  ]),
  ...['password', 'password_confirm', 'old_password', 'new_password1', 'new_password2'].map(
    (name): [string, string] => [name, 'Correct-Horse-9!'],
  ),
])

export function toExample(schema: JsonSchema, name = ''): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const [alternative] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (alternative) return toExample(alternative, name)
  const [type] = [schema.type ?? 'string'].flat()
  switch (type) {
    case 'object':
      return toObject(schema)
    case 'array':
      return toList(schema.items, name)
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'null':
      return null
    default:
      return named.get(name) ?? 'text'
  }
}

// `not` stands for an array whose items may be nothing: it is empty.
const toList = (items: JsonSchema['items'], name: string) =>
  typeof items === 'object' && !Array.isArray(items) && !items.not ? [toExample(items, name)] : []

function toObject({ properties = {}, required = [] }: JsonSchema) {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name) || named.has(name))
  return Object.fromEntries(
    shown.flatMap(([name, property]) => (typeof property === 'object' ? [[name, toExample(property, name)]] : [])),
  )
}
