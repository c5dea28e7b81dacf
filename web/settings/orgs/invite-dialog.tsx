import { Text, Textarea } from '@mantine/core'
import { useId, useState } from 'react'
import { inviteLimit } from '../../../worker/orgs/members/contract'
import { plural } from '../../lib/format'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { inviteMutation } from './api'
import { useSaving } from '../../lib/saving'
import { FormDialog } from '../../ui/form-dialog'
import { Email } from '../../../worker/domain/people/password'

type Props = { org: { id: number; name: string }; onClose: () => void }

export function InviteDialog({ org, onClose }: Props) {
  const [text, setText] = useState('')
  const wrongId = useId()
  const { isPending, save } = useSaving(inviteMutation, onClose)
  const { valid, invalid } = splitAddresses(text)
  const count = valid.length
  const isTooMany = count > inviteLimit
  return (
    <FormDialog
      title={`Invite users to ${org.name}`}
      action="Invite"
      isPending={isPending}
      isReady={count > 0 && !isTooMany}
      onSubmit={() => save({ org_id: org.id, emails: valid })}
      onClose={onClose}
    >
      <Textarea
        label="E-mail addresses"
        description="Separated by commas or one per line"
        data-autofocus
        rows={6}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={isTooMany && `${count} addresses are too many: ${inviteLimit} at most`}
      />
      <Text size="sm" c="dimmed" role="status">
        {plural(count, 'valid address', 'valid addresses')}, {inviteLimit} at most
      </Text>
      {invalid.length > 0 && (
        <div>
          <Text size="sm" c="var(--warning)" id={wrongId}>
            {plural(
              invalid.length,
              'entry is not an address and is left out',
              'entries are not addresses and are left out',
            )}
            :
          </Text>
          <ul className={classes.wrong} aria-labelledby={wrongId}>
            {invalid.map((address) => (
              <li key={address}>
                <Mark tone="alarm">{address}</Mark>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  )
}

/** Splits at commas, semicolons, spaces and lines; an address counts once. */
export function splitAddresses(text: string) {
  const addresses = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ]
  const isValid = (address: string) => Email.safeParse(address).success
  return { valid: addresses.filter(isValid), invalid: addresses.filter((address) => !isValid(address)) }
}
