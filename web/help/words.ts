import { isValidElement } from 'react'
import type { ReactNode } from 'react'

/** The text of a topic, for the search; components inside it are not read. */
export function listWords(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(listWords).join(' ')
  if (isValidElement<{ children?: ReactNode }>(node)) return listWords(node.props.children)
  return ''
}

export function containsWords(text: string, search: string) {
  const plain = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => plain.includes(word))
}
