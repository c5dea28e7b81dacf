import { Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import classes from '../settings.module.css'

type Props = { codes: string[]; onClose: () => void }

export function RecoveryCodes({ codes, onClose }: Props) {
  const text = `${codes.join('\n')}\n`
  return (
    <Stack gap="sm">
      <Text size="sm">
        Store these codes where you can find them without your phone. Each code works once.{' '}
        <strong>They are shown only now.</strong>
      </Text>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="xs"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="earshot-recovery-codes.txt"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved them</Button>
      </Group>
    </Stack>
  )
}
