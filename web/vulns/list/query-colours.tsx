import type { RefObject } from 'react'
import { tokenize } from '../../../worker/domain/query/tokens'
import classes from './query-bar.module.css'

type Kind = 'field' | 'operator' | 'value' | 'keyword' | 'text' | 'plain'

export function QueryColours({ text, paint }: { text: string; paint: RefObject<HTMLDivElement | null> }) {
  return (
    <div ref={paint} className={classes.paint} aria-hidden>
      {colourQuery(text).map(({ from, kind, piece }) => (
        <span key={from} className={classes[kind]}>
          {piece}
        </span>
      ))}
    </div>
  )
}

/** The joined pieces are the text; unreadable pieces are plain. */
export function colourQuery(text: string): { from: number; kind: Kind; piece: string }[] {
  const tokens = tokenize(text)
  if ('message' in tokens) return [{ from: 0, kind: 'plain', piece: text }]
  const pieces: { from: number; kind: Kind; piece: string }[] = []
  let end = 0
  const add = (from: number, to: number, kind: Kind) => {
    if (from < to) pieces.push({ from, kind, piece: text.slice(from, to) })
    end = to
  }
  for (const [at, token] of tokens.entries()) {
    add(end, token.from, 'plain')
    const isValue = tokens[at - 1]?.kind === 'operator'
    const isField = tokens[at + 1]?.kind === 'operator'
    if (token.kind === 'word') add(token.from, token.to, isValue ? 'value' : isField ? 'field' : wordKind(token.text))
    else if (token.kind === 'text') add(token.from, token.to, isValue ? 'value' : 'text')
    else add(token.from, token.to, 'operator')
  }
  add(end, text.length, 'plain')
  return pieces
}

const wordKind = (word: string): Kind => (/^(and|or|not)$/i.test(word) ? 'keyword' : 'plain')
