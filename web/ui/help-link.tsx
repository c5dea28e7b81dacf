import { ActionIcon } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import { Link } from 'react-router-dom'

export const helpTopics = [
  'monitoring',
  'organizations',
  'alerting',
  'scores',
  'versions',
  'inventories',
  'conformance',
  'query',
  'keyboard',
  'sources',
  'api',
  'contributing',
  'contact',
  'about',
] as const
export type HelpTopic = (typeof helpTopics)[number]

export const HelpLink = ({ topic, about }: { topic: HelpTopic; about: string }) => (
  <ActionIcon
    component={Link}
    to={`/help#${topic}`}
    variant="subtle"
    color="gray"
    size={24}
    aria-label={`Help: ${about}`}
    title={`Help: ${about}`}
  >
    <IconHelpCircle size={16} aria-hidden />
  </ActionIcon>
)
