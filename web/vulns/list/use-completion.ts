import { useQuery } from '@tanstack/react-query'
import { completeQuery } from '../../../worker/domain/query/complete'
import { productsQuery, vendorsQuery } from '../../catalog/api'

const limit = 30
const minCharacters = 2

export function useCompletion(text: string, cursor: number, isOpen: boolean) {
  const { from, to, typed, field, options } = completeQuery(text, cursor)
  const wants = (kind: string) => isOpen && field === kind && typed.length >= minCharacters
  const find = { search: typed, limit: 8 }
  const vendors = useQuery({ ...vendorsQuery(find), enabled: wants('vendor'), meta: {} })
  const products = useQuery({ ...productsQuery(find), enabled: wants('product'), meta: {} })

  const names = [
    ...(wants('vendor') ? (vendors.data?.results ?? []).map(({ name }) => ({ text: name, hint: 'Vendor' })) : []),
    ...(wants('product')
      ? (products.data?.results ?? []).map(({ vendor, name }) => ({ text: `${vendor}:${name}`, hint: 'Product' }))
      : []),
  ]
  const apply = (option: string) => {
    const word = names.some((name) => name.text === option) ? quotedIfNeeded(option) : option
    const gap = /[:=<>]$/.test(word) ? '' : ' '
    const head = text.slice(0, from) + word + gap
    return { text: head + text.slice(to).replace(/^ /, ''), cursor: head.length }
  }
  return { options: isOpen ? [...options, ...names].slice(0, limit) : [], apply }
}

const quotedIfNeeded = (name: string) =>
  /^[\w@*+.][\w@*+./:-]*$/.test(name) ? name : `"${name.replace(/["\\]/g, String.raw`\$&`)}"`
