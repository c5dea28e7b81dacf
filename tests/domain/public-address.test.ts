import { expect, test } from 'vitest'
import { findJiraProject } from '../../worker/domain/alerts/jira-project'
import { isPublicAddress } from '../../worker/domain/people/public-address'

test.each('8.8.8.8 172.32.0.1 2606:2800:220:1::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8'.split(' '))(
  '%s is an address of the public internet',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ...'172.31.255.255 100.64.0.1 224.0.0.1 255.255.255.255 ::ffff:10.0.0.1 ::127.0.0.1'.split(' '),
  ...'64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 2002:a00:1:: 2001:db8::1 fe80::1 fd00::1'.split(' '),
  ...'::1 :: 1.2.3 256.1.1.1 1::2::3 nonsense'.split(' '),
])('%s is no address of the public internet', (address) => expect(isPublicAddress(address)).toBe(false))

const acme = 'https://acme.atlassian.net'
test.each([
  [`${acme}/browse/SEC`, { base: acme, key: 'SEC', type: 'Task' }],
  [`${acme}/browse/sec-12?focusedCommentId=1`, { base: acme, key: 'SEC', type: 'Task' }],
  [`${acme}/jira/software/c/projects/SEC/boards/1?type=Bug`, { base: acme, key: 'SEC', type: 'Bug' }],
  [
    'https://jira.acme.example:8443/jira/projects/SEC_2/',
    { base: 'https://jira.acme.example:8443/jira', key: 'SEC_2', type: 'Task' },
  ],
  [`${acme}/browse/S"%20OR`, null],
  [`${acme}/browse`, null],
  [acme, null],
  ['SEC', null],
])('the project at %s', (address, project) => expect(findJiraProject(address)).toEqual(project))
