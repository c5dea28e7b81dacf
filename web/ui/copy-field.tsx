import { Button, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import classes from './copy-field.module.css'

type Props = { label: string; value: string; display?: string }

export const CopyField = ({ label, value, display = value }: Props) => (
  <div className={classes.field}>
    <span className={classes.label}>{label}</span>
    <div className={classes.line}>
      <code className={classes.value}>{display}</code>
      <CopyValue value={value} label={`Copy ${label}`} />
    </div>
  </div>
)

export const CopyValue = ({ value, label }: { value: string; label?: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <Button
        size="xs"
        aria-label={label}
        leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        onClick={copy}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
    )}
  </CopyButton>
)
