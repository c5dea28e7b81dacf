import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'

/** Opened by ?firststeps=1. */
export function WelcomeDialog() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const close = () => void navigate('/homepage', { replace: true })
  return (
    <Modal opened={params.get('firststeps') === '1'} onClose={close} title="Welcome to Earshot" centered>
      <Stack gap="sm">
        <Text size="sm">
          Earshot listens to the public vulnerability feeds and tells you what concerns your organization. Start with
          the products you run: find them, and switch on Monitored.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button component={Link} to="/products">
            Choose products
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
