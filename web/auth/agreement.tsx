import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { publicSettingsQuery } from '../lib/public-settings'

/** Terms of a new account, if the operator names them. */
export function Agreement() {
  const { data } = useQuery(publicSettingsQuery)
  const pages = [
    [data?.terms_url, 'terms'],
    [data?.privacy_url, 'privacy notice'],
  ] as const
  const links = pages.flatMap(([href, label]) =>
    href ? (
      <Anchor key={label} inherit underline="always" href={href} target="_blank" rel="noopener">
        {label}
      </Anchor>
    ) : (
      []
    ),
  )
  if (links.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      Please read the {links[0]} {links[1] && <>and the {links[1]}</>} of this Earshot first.
    </Text>
  )
}
