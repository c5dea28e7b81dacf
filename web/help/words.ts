import { isValidElement } from 'react'
import type { ReactNode } from 'react'

/** The words that stand in what a topic shows, for the search; a component's own words are not looked into. */
export function listWords(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(listWords).join(' ')
  if (isValidElement<{ children?: ReactNode }>(node)) return listWords(node.props.children)
  return ''
}

export function hasWords(text: string, search: string) {
  const plain = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => plain.includes(word))
}
