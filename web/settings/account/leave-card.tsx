import { Group } from '@mantine/core'
import { mutationOptions } from '@tanstack/react-query'
import { deleteAccount, exportAccount } from '../../../worker/account/contract'
import { act } from '../../lib/ask'
import { call, callForFile } from '../../lib/call'
import { saveFile } from '../../lib/save-file'
import { resetSession } from '../../session/session'
import { Card } from '../../ui/card'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { ChangeButton } from '../../ui/label-button'
import classes from '../settings.module.css'

const downloadData = act(async () => saveFile(await callForFile(exportAccount), 'earshot_account.json'), {
  failure: 'Unable to get your data',
})
const leave = mutationOptions({
  mutationFn: () => call(deleteAccount, { body: {} }),
  onSuccess: () => resetSession(),
  meta: { success: 'Your account is deleted', failure: (error: Error) => error.message },
})

export const LeaveCard = ({ username }: { username: string }) => (
  <div className={classes.wide}>
    <Card title="Your data">
      <p className={classes.note}>
        Download what Earshot stores about you, or delete your account. Your texts for an organization stay there
        without your name.
      </p>
      <Group justify="flex-end">
        <ChangeButton label="Download my data" change={downloadData} given={undefined} />
        <ConfirmButton
          label="Delete my account"
          title="Delete my account"
          action="Delete"
          change={leave}
          given={undefined}
        >
          Do you really want to delete the account <strong>{username}</strong>? This cannot be undone.
        </ConfirmButton>
      </Group>
    </Card>
  </div>
)
