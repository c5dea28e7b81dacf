import { Loader, UnstyledButton } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import classes from './monitored-chip.module.css'

type Props = { monitored: boolean; words?: readonly [on: string, off: string] }
type ToggleProps = Props & {
  name: string
  isPending: boolean
  isDisabled?: boolean
  readOnly: { disabled?: true; title?: string }
  onToggle: () => void
}

const yesNo = ['Yes', 'No'] as const

export function MonitoredChip({ monitored, words = yesNo }: Props) {
  return (
    <span className={classes.chip} data-monitored={monitored || undefined}>
      <Face monitored={monitored} words={words} />
    </span>
  )
}

/** Changes only when the server has answered. */
export function MonitoredToggle({
  monitored,
  words = yesNo,
  name,
  isPending,
  isDisabled,
  readOnly,
  onToggle,
}: ToggleProps) {
  return (
    <UnstyledButton
      className={classes.chip}
      aria-pressed={monitored}
      aria-busy={isPending}
      aria-label={`${monitored ? words[0] : words[1]}: monitor ${name}`}
      data-monitored={monitored || undefined}
      disabled={isDisabled}
      data-held={readOnly.disabled}
      {...readOnly}
      onClick={() => !isPending && onToggle()}
    >
      {isPending ? <Loader size={14} color="currentColor" /> : <Icon monitored={monitored} />}
      {monitored ? words[0] : words[1]}
    </UnstyledButton>
  )
}

const Face = ({ monitored, words = yesNo }: Props) => (
  <>
    <Icon monitored={monitored} />
    {monitored ? words[0] : words[1]}
  </>
)

function Icon({ monitored }: { monitored: boolean }) {
  return monitored ? <IconEye size={14} aria-hidden /> : <IconEyeOff size={14} aria-hidden />
}
