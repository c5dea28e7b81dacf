import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Card } from '../../ui/card'
import { CopyField } from '../../ui/copy-field'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { proveDomainMutation } from './api'
import type { Sso } from './api'

export function SsoDomains({ domains }: Pick<Sso, 'domains'>) {
  return (
    <Card title="Domains">
      <p className={classes.note}>
        A domain is accepted as soon as its DNS contains the record below, or an Earshot admin approves it.
      </p>
      <ul className={classes.list} aria-label="Domains">
        {domains.map((claim) => (
          <Domain key={claim.domain} claim={claim} />
        ))}
      </ul>
    </Card>
  )
}

function Domain({
  claim: { domain, txt_name, txt_value, proved_at, missing_since },
}: {
  claim: Sso['domains'][number]
}) {
  const proving = useMutation(proveDomainMutation)
  if (proved_at && !missing_since)
    return (
      <li className={classes.item}>
        <strong>{domain}</strong>
        <Mark tone="calm">Verified</Mark>
      </li>
    )
  return (
    <li>
      <Stack gap="xs">
        <div className={classes.name}>
          <strong>{domain}</strong>
          <Mark tone="quiet">{proved_at ? 'Record is missing: put it back' : 'Not verified yet'}</Mark>
        </div>
        <CopyField label={`TXT record of ${domain}: name`} value={txt_name} />
        <CopyField label={`TXT record of ${domain}: value`} value={txt_value} />
        <Button
          variant="default"
          size="xs"
          aria-label={`Check ${domain}`}
          loading={proving.isPending}
          onClick={() => proving.mutate(domain)}
          style={{ alignSelf: 'flex-end' }}
        >
          Check now
        </Button>
      </Stack>
    </li>
  )
}
