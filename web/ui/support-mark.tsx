import { IconCircleCheck, IconCoin, IconHourglass, IconPlugConnectedX } from '@tabler/icons-react'
import { NativeSelect, Text } from '@mantine/core'
import { describeSupport, type SupportState } from '../../worker/domain/versions/end-of-life'
import { EndOfLife, type VersionSupport } from '../../worker/taxonomy/contract'
import { Mark } from './mark'

type Support = { state: SupportState; until: string | null }

export function SupportMark({ state, until }: Support) {
  const { words, ...face } = states[state]
  return <Mark {...face}>{words(until)}</Mark>
}

/** As lists are asked for them. */
const labels: Record<EndOfLife, string> = {
  ending: 'Ended, or ends within 90 days',
  ended: 'Ended',
  extended: 'Ended, extended support',
  security: 'Security fixes alone',
  supported: 'Supported',
  unknown: 'Not known',
}

type SelectProps = { value: EndOfLife | undefined; onChange: (value: EndOfLife | undefined) => void; label?: string }

export const SupportSelect = ({ value, onChange, label }: SelectProps) => (
  <NativeSelect
    {...(label ? { label } : { 'aria-label': 'Support' })}
    value={value ?? ''}
    data={[
      { value: '', label: 'Any support' },
      ...EndOfLife.options.map((state) => ({ value: state, label: labels[state] })),
    ]}
    onChange={({ currentTarget }) => onChange(EndOfLife.safeParse(currentTarget.value).data)}
  />
)

/** Of the release of a version; long support is told quietly. */
export const SupportAdvice = ({ product, release, next }: VersionSupport) => (
  <Text size="sm" c={next || release.state === 'ended' || release.state === 'extended' ? undefined : 'dimmed'}>
    {product.label} {describeSupport(release, next)}
  </Text>
)

const untilWords = (before: string) => (until: string | null) => (until ? `${before} until ${until}` : before)

const states = {
  supported: { tone: 'plain', icon: IconCircleCheck, words: untilWords('Supported') },
  security: { tone: 'plain', icon: IconHourglass, words: untilWords('Security fixes alone') },
  extended: { tone: 'warning', icon: IconCoin, words: untilWords('Ended; extended support') },
  ended: {
    tone: 'alarm',
    icon: IconPlugConnectedX,
    words: (until: string | null) => (until ? `Support ended on ${until}` : 'Support ended'),
  },
} as const satisfies Record<SupportState, unknown>
