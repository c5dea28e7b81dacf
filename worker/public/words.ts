import { scoreWord } from '../domain/scores/rating'
import { cutText } from '../domain/words/short-lists'
import type { PublicVuln } from './contract'

const descriptionLength = 160

export const showTitle = ({ id, cveid }: Pick<PublicVuln, 'id' | 'cveid'>) => (cveid ? `PH-${id} ${cveid}` : `PH-${id}`)

type Described = Pick<PublicVuln, 'score' | 'is_score_provisional' | 'summary' | 'state'>

export function describeVuln({ score, is_score_provisional, summary, state }: Described) {
  const rated =
    score === null ? '' : `${score}/100 ${scoreWord(score)}${is_score_provisional ? ' (provisional)' : ''}. `
  return cut(`${rated}${summary || missingSummary(state)}`, descriptionLength)
}

export const missingSummary = (state: PublicVuln['state']) =>
  state === 'awaiting'
    ? 'Another source mentions it, but its CVE record is not published or not loaded yet.'
    : 'No summary.'

export const cut = (text: string, length: number) => cutText(text.replace(/\s+/g, ' ').trim(), length)

export const showDate = (at: string | null) => at?.slice(0, 10) ?? 'n/a'
