import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { publicSettingsQuery } from '../lib/public-settings'
import { Fact, Facts } from '../ui/facts'

export function AboutVersion() {
  const { data } = useQuery(publicSettingsQuery)
  return (
    <>
      <p>© Earshot. All rights reserved. Data from public sources belongs to them and is subject to their terms.</p>
      <Facts>
        <Fact label="Version">{data?.version ?? 'not known yet'}</Fact>
        <Fact label="Edition">{data?.edition ?? 'not known yet'}</Fact>
        <Fact label="Build">{data?.build ?? 'not known yet'}</Fact>
      </Facts>
    </>
  )
}

export function Contact() {
  const contact = useQuery(publicSettingsQuery).data?.contact
  return (
    <p>
      {contact ? (
        <>
          Write to <Anchor href={`mailto:${contact}`}>{contact}</Anchor>.
        </>
      ) : (
        'Ask the people who run this Earshot for you.'
      )}{' '}
      An admin of your organization can change your rights in it.
    </p>
  )
}
