import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../ui/card'
import { ChangeButton } from '../../ui/label-button'
import { Timestamp } from '../../ui/timestamp'
import { Item, CardList } from '../item'
import classes from '../settings.module.css'
import { acceptPendingInvitation, declineInvitation, invitationsQuery } from './api'

export function InvitationsCard() {
  const query = useQuery(invitationsQuery)
  if (!query.data?.length && !query.error) return null
  return (
    <div className={classes.wide}>
      <Card title="Invitations">
        <CardList label="Invitations" failed="Unable to get invitations" query={query}>
          {({ id, org_name, invited_by, expires_at }) => (
            <Item key={id} name={org_name} note={<Note by={invited_by} until={expires_at} />}>
              <Group>
                <ChangeButton size="xs" label="Decline" about={org_name} change={declineInvitation} given={id} />
                <ChangeButton
                  size="xs"
                  variant="filled"
                  label="Accept"
                  about={org_name}
                  change={acceptPendingInvitation}
                  given={id}
                />
              </Group>
            </Item>
          )}
        </CardList>
      </Card>
    </div>
  )
}

const Note = ({ by, until }: { by: string; until: string }) => (
  <>
    {by} invites you · until <Timestamp at={until} />
  </>
)
