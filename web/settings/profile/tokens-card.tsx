import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../ui/card'
import classes from '../settings.module.css'
import { TokenDialog } from './token-dialog'
import { RemoveTokenDialog, RenewTokenDialog } from './token-dialogs'
import { TokenSecret } from './token-secret'
import { TokenTable } from './token-table'
import type { ApiToken } from './token-table'
import { removeTokenMutation, renewTokenMutation, tokensQuery } from './api'

type Open =
  | { dialog: 'create' | 'renew' }
  | { dialog: 'remove'; token: ApiToken }
  | { dialog: 'secret'; secret: string }

export function TokensCard() {
  const tokens = useQuery(tokensQuery)
  const [open, setOpen] = useState<Open>()
  const renewing = useMutation(renewTokenMutation)
  const removing = useMutation(removeTokenMutation)
  const close = () => setOpen(undefined)
  const showSecret = (secret: string) => setOpen({ dialog: 'secret', secret })

  const hasDefault = tokens.data?.some(({ is_default }) => is_default)
  const renew = () => renewing.mutate(undefined, { onSuccess: ({ token }) => showSecret(token) })
  return (
    <div className={classes.wide}>
      <Card
        title="API tokens"
        aside={
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              loading={renewing.isPending}
              disabled={!tokens.data}
              onClick={() => (hasDefault ? setOpen({ dialog: 'renew' }) : renew())}
            >
              {hasDefault ? 'Renew the default token' : 'Make a default token'}
            </Button>
            <Button size="xs" onClick={() => setOpen({ dialog: 'create' })}>
              New token
            </Button>
          </Group>
        }
      >
        <p className={`${classes.note} ${classes.above}`}>
          For scripts: send <code>Authorization: Token …</code> with each call. A token has your rights in the
          organization it is made for, or in all of yours if you choose so.
        </p>
        <TokenTable tokens={tokens} onRemove={(token) => setOpen({ dialog: 'remove', token })} />
      </Card>
      {open?.dialog === 'create' && <TokenDialog onCreated={showSecret} onClose={close} />}
      {open?.dialog === 'secret' && <TokenSecret secret={open.secret} onClose={close} />}
      {open?.dialog === 'renew' && (
        <RenewTokenDialog isPending={renewing.isPending} onConfirm={renew} onClose={close} />
      )}
      {open?.dialog === 'remove' && (
        <RemoveTokenDialog
          token={open.token}
          isPending={removing.isPending}
          onConfirm={() => removing.mutate(open.token.id, { onSuccess: close })}
          onClose={close}
        />
      )}
    </div>
  )
}
