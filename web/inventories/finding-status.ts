export const findingStatuses = [
  { value: '', label: 'Open' },
  { value: 'affected', label: 'Affected' },
  { value: 'unknown', label: 'Unknown' },
  { value: 'closed', label: 'Closed by a decision' },
]

const statuses = ['affected', 'unknown', 'closed'] as const
export const findingStatusFrom = (text: string) => statuses.find((one) => one === text)
