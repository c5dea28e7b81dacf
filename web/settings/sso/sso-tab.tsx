import { Button, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Card } from '../../ui/card'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { removeSsoMutation, ssoQuery } from './api'
import { SsoDomains } from './sso-domains'
import { SsoForm } from './sso-form'

export function SsoTab() {
  const { data: sso, error, refetch } = useQuery(ssoQuery)
  const [isRemoving, removing] = useDisclosure(false)
  const remove = useMutation(removeSsoMutation)

  if (error)
    return (
      <FailedState title="Unable to get the single sign-on settings" error={error} onRetry={() => void refetch()} />
    )
  if (!sso) return <Skeleton height={420} className={classes.narrow} />
  const isSet = sso.issuer !== ''
  return (
    <div className={classes.narrow}>
      <Card title="OpenID Connect" aside={isSet && <SsoMark isOn={sso.is_enabled} />}>
        <p className={classes.note}>
          Members whose address is in one of these domains sign in at your identity provider.
        </p>
        <SsoForm key={sso.issuer} sso={sso}>
          {isSet && (
            <Button variant="default" onClick={removing.open} mr="auto">
              Remove
            </Button>
          )}
        </SsoForm>
      </Card>
      {sso.domains.length > 0 && <SsoDomains domains={sso.domains} />}
      <ConfirmDialog
        title="Remove single sign-on"
        action="Remove"
        isOpen={isRemoving}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSuccess: removing.close })}
        onClose={removing.close}
      >
        Do you really want to remove single sign-on? Members then sign in with their Earshot password.
      </ConfirmDialog>
    </div>
  )
}

const SsoMark = ({ isOn }: { isOn: boolean }) => <Mark tone={isOn ? 'calm' : 'quiet'}>{isOn ? 'On' : 'Off'}</Mark>
