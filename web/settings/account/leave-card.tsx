import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { mutationOptions, useMutation } from '@tanstack/react-query'
import { deleteAccount, exportAccount } from '../../../worker/account/contract'
import { act } from '../../lib/ask'
import { call, callForFile } from '../../lib/call'
import { saveFile } from '../../lib/save-file'
import { resetSession } from '../../session/session'
import { Card } from '../../ui/card'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import classes from '../settings.module.css'

const downloadData = act(async () => saveFile(await callForFile(exportAccount), 'earshot_account.json'), {
  failure: 'Unable to get your data',
})
const leave = mutationOptions({
  mutationFn: () => call(deleteAccount, { body: {} }),
  onSuccess: () => resetSession(),
  meta: { success: 'Your account is deleted', failure: (error: Error) => error.message },
})

export function LeaveCard({ username }: { username: string }) {
  const [isLeaving, leaving] = useDisclosure(false)
  const download = useMutation(downloadData)
  return (
    <div className={classes.wide}>
      <Card title="Your data">
        <p className={classes.note}>
          Download what Earshot stores about you, or delete your account. Your texts for an organization stay there
          without your name.
        </p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
            Download my data
          </Button>
          <Button variant="default" onClick={leaving.open}>
            Delete my account
          </Button>
        </Group>
      </Card>
      <ConfirmDialog
        title="Delete my account"
        action="Delete"
        isOpen={isLeaving}
        change={leave}
        given={undefined}
        onClose={leaving.close}
      >
        Do you really want to delete the account <strong>{username}</strong>? This cannot be undone.
      </ConfirmDialog>
    </div>
  )
}
