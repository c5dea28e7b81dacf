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

export const MonitoredChip = ({ monitored, words: [on, off] = yesNo }: Props) => (
  <span className={classes.chip} data-monitored={monitored || undefined}>
    <Eye isOpen={monitored} />
    {monitored ? on : off}
  </span>
)

/** Changes only when the server has answered. */
export function MonitoredToggle({ monitored, words: [on, off] = yesNo, name, isPending, ...props }: ToggleProps) {
  const { isDisabled, readOnly, onToggle } = props
  return (
    <UnstyledButton
      className={classes.chip}
      aria-pressed={monitored}
      aria-busy={isPending}
      aria-label={`${monitored ? on : off}: monitor ${name}`}
      data-monitored={monitored || undefined}
      disabled={isDisabled}
      data-held={readOnly.disabled}
      {...readOnly}
      onClick={() => !isPending && onToggle()}
    >
      {isPending ? <Loader size={14} color="currentColor" /> : <Eye isOpen={monitored} />}
      {monitored ? on : off}
    </UnstyledButton>
  )
}

const Eye = ({ isOpen }: { isOpen: boolean }) =>
  isOpen ? <IconEye size={14} aria-hidden /> : <IconEyeOff size={14} aria-hidden />
