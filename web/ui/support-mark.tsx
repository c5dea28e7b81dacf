import { IconCircleCheck, IconCoin, IconHourglass, IconPlugConnectedX } from '@tabler/icons-react'
import type { SupportState } from '../../worker/domain/versions/end-of-life'
import { Mark } from './mark'

export function SupportMark({ state, until }: { state: SupportState; until: string | null }) {
  const { tone, icon: Icon, words } = states[state]
  return (
    <Mark tone={tone} icon={<Icon size={12} aria-hidden />}>
      {words(until)}
    </Mark>
  )
}

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
