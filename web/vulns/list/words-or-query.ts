import { findField, getDefinition } from '../../../worker/domain/query/fields'
import { tokenize } from '../../../worker/domain/query/tokens'

/** A field, a sign or a quote makes a text a query; words and names such as a CPE, and ids with a colon, are searched for. */
export function isWords(text: string) {
  if (/^(cpe:|pkg:|RH[BES]A-\d)/i.test(text.trim())) return true
  const tokens = tokenize(text)
  return !('message' in tokens) && tokens.every((token) => token.kind === 'word' && !isSign(token.text))
}

function isSign(word: string) {
  const field = findField(word)
  return /^(and|or|not)$/i.test(word) || (field !== undefined && getDefinition(field).kind === 'flag')
}
