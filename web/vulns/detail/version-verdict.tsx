import { IconAlertTriangle, IconArrowsSplit, IconHelp, IconShieldCheck } from '@tabler/icons-react'
import type * as z from 'zod'
import { speakRange } from '../../../worker/domain/versions/range'
import type { testVersion } from '../../../worker/triage/contract'
import { Mark } from '../../ui/mark'
import { useSourceName } from './source-name'
import classes from '../vuln-detail.module.css'

type Answer = z.output<(typeof testVersion)['reply']>

const faces = {
  affected: { tone: 'alarm', word: 'Affected', icon: <IconAlertTriangle size={14} aria-hidden /> },
  not_affected: { tone: 'calm', word: 'Not affected', icon: <IconShieldCheck size={14} aria-hidden /> },
  unknown: { tone: 'quiet', word: 'Unknown', icon: <IconHelp size={14} aria-hidden /> },
} as const
const confidences = { confirmed: 'confirmed', likely: 'likely', name_only: 'by name only: no version is given' }

function reasonOfUnknown({ range, by }: Answer, unordered?: string) {
  if (unordered)
    return `cannot tell, as ${unordered} packages have an order of versions that Earshot does not know: it judges only a version that a source names`
  return range === null && by.every((one) => one.range === null)
    ? 'no source says anything of it'
    : 'no source calls it affected or not affected in a way that can be compared with it'
}

/** `unordered` names packages whose versions nobody can put in order here. */
export function VersionVerdict({
  version,
  answer,
  unordered,
}: {
  version: string
  answer: Answer
  unordered?: string | undefined
}) {
  const nameSource = useSourceName()
  const { tone, word, icon } = faces[answer.status]
  return (
    <>
      <p className={classes.verdict}>
        <Mark tone={tone} icon={icon}>
          {word}
        </Mark>
        {answer.is_disputed && (
          <Mark tone="warning" icon={<IconArrowsSplit size={14} aria-hidden />}>
            Sources disagree
          </Mark>
        )}
        {version}: {answer.status === 'unknown' ? reasonOfUnknown(answer, unordered) : confidences[answer.confidence]}
        {answer.source && ` (${nameSource(answer.source)}${answer.range ? `: ${speakRange(answer.range)}` : ''})`}.
        {answer.reason && ` ${answer.reason}`}
        {answer.fixed_in && (
          <>
            {' '}
            Fixed in <b>{answer.fixed_in}</b>.
          </>
        )}
        {answer.first_unlisted && (
          <>
            {' '}
            First version not listed as affected: <b>{answer.first_unlisted}</b>.
          </>
        )}
      </p>
      {answer.by.length > 1 && (
        <ul className={classes.reasons}>
          {answer.by.map(({ source, status, range, fixed_in, first_unlisted, reason }) => (
            <li key={source}>
              {nameSource(source)}: {faces[status].word.toLowerCase()}
              {range && ` (${speakRange(range)})`}
              {fixed_in && `, fixed in ${fixed_in}`}
              {first_unlisted && `, first not listed: ${first_unlisted}`}
              {reason && `. ${reason}`}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
