import { Skeleton, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, mutationOptions } from '@tanstack/react-query'
import { Card } from '../../ui/card'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { CopyField } from '../../ui/copy-field'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { checkSsoDomain, getSso, removeSso, setSso, type SsoSettings } from '../../../worker/orgs/sso/contract'
import { askFor } from '../../lib/ask'
import { call } from '../../lib/call'
import { useSaving } from '../../lib/saving'
import { Form, FormFoot } from '../../ui/form'
import { useReadOnly } from '../../session/known-org'
import { WriteButton } from '../../session/write-button'
import { PasswordField } from '../../ui/password-field'

export function SsoTab() {
  const { data: sso, error, refetch } = useQuery(ssoQuery)

  if (error && !sso) return <FailedState title="Unable to get the single sign-on settings" query={{ error, refetch }} />
  if (!sso) return <Skeleton height={420} className={classes.narrow} />
  const isSet = sso.issuer !== ''
  return (
    <Stack className={classes.narrow}>
      <Card title="OpenID Connect" aside={isSet && <SsoMark isOn={sso.is_enabled} />}>
        <p className={classes.note}>
          Members whose address is in one of these domains sign in at your identity provider.
        </p>
        <SsoForm key={sso.issuer} sso={sso}>
          {isSet && (
            <ConfirmButton
              label="Remove"
              look={{ mr: 'auto' }}
              title="Remove single sign-on"
              action="Remove"
              change={removeSsoMutation}
              given={undefined}
            >
              Do you really want to remove single sign-on? Members then sign in with their Earshot password.
            </ConfirmButton>
          )}
        </SsoForm>
      </Card>
      {sso.domains.length > 0 && <SsoDomains domains={sso.domains} />}
    </Stack>
  )
}

const SsoMark = ({ isOn }: { isOn: boolean }) => <Mark tone={isOn ? 'calm' : 'quiet'}>{isOn ? 'On' : 'Off'}</Mark>

function SsoDomains({ domains }: Pick<Sso, 'domains'>) {
  return (
    <Card title="Domains">
      {!domains.every(isProved) && (
        <p className={classes.note}>
          A domain is accepted as soon as its DNS contains the record below, or an Earshot admin approves it.
        </p>
      )}
      <ul className={classes.list} aria-label="Domains">
        {domains.map((claim) => (
          <Domain key={claim.domain} claim={claim} />
        ))}
      </ul>
    </Card>
  )
}

type Claim = Sso['domains'][number]

const isProved = ({ proved_at, missing_since }: Claim) => proved_at !== null && missing_since === null

function Domain({ claim }: { claim: Claim }) {
  const { domain, txt_name, txt_value, proved_at } = claim
  const proving = useMutation(proveDomainMutation)
  if (isProved(claim))
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
        <WriteButton
          size="xs"
          aria-label={`Check ${domain}`}
          loading={proving.isPending}
          onClick={() => proving.mutate(domain)}
          style={{ alignSelf: 'flex-end' }}
        >
          Check now
        </WriteButton>
      </Stack>
    </li>
  )
}

type Props = { sso: Sso; children: ReactNode }

function SsoForm({ sso, children }: Props) {
  const { issuer, client_id, email_domains, is_enabled, has_secret, redirect_url } = sso
  const form = useForm({
    initialValues: { issuer, client_id, client_secret: '', email_domains, is_enabled: is_enabled || issuer === '' },
    validate: {
      issuer: (url) => (isWebAddress(url) ? null : 'Must be the address of the provider, with https://'),
      client_id: (id) => (id.trim() ? null : 'Client id is required'),
      email_domains: domainProblem,
    },
  })
  const saving = useSaving(updateSsoMutation, () => form.setFieldValue('client_secret', ''), form)
  const submit = form.onSubmit(({ client_secret, ...changes }) =>
    saving.save({ ...changes, client_secret: client_secret || undefined }),
  )
  return (
    <Form onSubmit={submit} mt="sm">
      <CopyField label="Redirect URL" value={redirect_url} />
      <TextInput
        type="url"
        label="Issuer"
        placeholder="https://login.example.com"
        maxLength={500}
        {...form.getInputProps('issuer')}
      />
      <TextInput label="Client id" autoComplete="off" maxLength={500} {...form.getInputProps('client_id')} />
      <PasswordField
        label="Client secret"
        description={has_secret ? 'One is stored. Leave this empty to keep it.' : undefined}
        placeholder={has_secret ? 'stored' : ''}
        autoComplete="off"
        maxLength={2000}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
        {...form.getInputProps('client_secret')}
      />
      <TagsInput
        label="E-mail domains"
        description="Enter or a comma adds one"
        placeholder={form.values.email_domains.length === 0 ? 'example.com' : ''}
        splitChars={[',', ';', ' ']}
        maxTags={20}
        {...form.getInputProps('email_domains')}
      />
      <Switch label="Enabled" {...form.getInputProps('is_enabled', { type: 'checkbox' })} />
      <FormFoot readOnly={useReadOnly()} isPending={saving.isPending} also={children} />
    </Form>
  )
}

// A provider on this machine is for trying things out.
const isWebAddress = (url: string) => /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)\b)\S+$/.test(url.trim())

function domainProblem(domains: string[]) {
  const wrong = domains.find((domain) => !/^[a-z0-9.-]+\.[a-z]{2,}$/i.test(domain.trim()))
  if (wrong) return `Must be a domain: ${wrong}`
  return domains.length === 0 ? 'At least one domain' : null
}

type Sso = z.output<typeof SsoSettings>
type SsoChange = Pick<Sso, 'issuer' | 'client_id' | 'email_domains' | 'is_enabled'> & { client_secret?: string }

const ssoQuery = askFor(['orgs', 'sso'], getSso, {}, 'Unable to get the single sign-on settings')

const updateSsoMutation = mutationOptions({
  mutationFn: (body: SsoChange) => call(setSso, { body }),
  onSuccess: (settings, _change, _result, { client }) => client.setQueryData(ssoQuery.queryKey, settings),
  meta: { success: 'Single sign-on updated', failure: 'Unable to update single sign-on' },
})

const proveDomainMutation = mutationOptions({
  mutationFn: (domain: string) => call(checkSsoDomain, { params: { domain }, body: {} }),
  onSuccess: (settings, _domain, _result, { client }) => client.setQueryData(ssoQuery.queryKey, settings),
  meta: { success: 'The domain is verified', failure: (error: Error) => error.message },
})

const removeSsoMutation = mutationOptions({
  mutationFn: () => call(removeSso),
  onSuccess: (_reply, _nothing, _result, { client }) => client.resetQueries({ queryKey: ssoQuery.queryKey }),
  meta: { success: 'Single sign-on removed', failure: 'Unable to remove single sign-on' },
})
