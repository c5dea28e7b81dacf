import { getDefinition, fieldNames, fields, type Field, type FieldKind, type Operator } from './fields'

type Definitions = typeof fields
/** The parameters of the fields of a kind. */
type ParamOf<Kind extends FieldKind> = {
  [Name in Field]: Definitions[Name]['kind'] extends Kind ? Definitions[Name]['param'] : never
}[Field]

function paramsOfKind<Kind extends FieldKind>(kind: Kind) {
  const names = fieldNames.filter((field) => fields[field].kind === kind).map((field) => fields[field].param)
  // The type of `filter` does not tell which of the literal names it keeps.
  return names as ParamOf<Kind>[]
}

export const textParams = paramsOfKind('text')
export const numberParams = paramsOfKind('number')
export const dateParams = paramsOfKind('date')
export const flagParams = paramsOfKind('flag')
export const keyParams = paramsOfKind('key')
export const choiceParams = paramsOfKind('choice')
export const idParams = paramsOfKind('id')

export const textLookups = ['', '__exact', '__contains', '__icontains'] as const
export const orderLookups = ['', '__exact', '__gt', '__gte', '__lt', '__lte'] as const
export const dateLookups = [
  ...orderLookups,
  '__date',
  '__date__gt',
  '__date__gte',
  '__date__lt',
  '__date__lte',
] as const

const lookupOperators = new Map<string, Operator>([
  ['', 'eq'],
  ['__exact', 'eq'],
  ['__contains', 'match'],
  ['__icontains', 'like'],
  ['__gt', 'gt'],
  ['__gte', 'gte'],
  ['__lt', 'lt'],
  ['__lte', 'lte'],
])

const kindLookups: Record<FieldKind, readonly string[]> = {
  text: textLookups,
  number: orderLookups,
  date: dateLookups,
  flag: [''],
  choice: [''],
  id: [''],
  key: [''],
}

/** Each parameter of the list, `score__gte` or `published__date__lt`, with the comparison that it means. */
export const params = new Map(
  fieldNames.flatMap((field) => {
    const { kind, param } = getDefinition(field)
    return kindLookups[kind].map((lookup): [string, { field: Field; op: Operator }] => [
      param + lookup,
      { field, op: lookupOperators.get(lookup.replace('__date', '')) ?? 'eq' },
    ])
  }),
)
