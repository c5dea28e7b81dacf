import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { CopyField } from '../../ui/copy-field'
import { useFocusBack } from '../../ui/focus-back'

export function TokenSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title="Your API token" centered closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="sm">
        <Text size="sm">
          Copy it now: <strong>it is shown only this once.</strong>
        </Text>
        <CopyField label="API token" value={secret} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
