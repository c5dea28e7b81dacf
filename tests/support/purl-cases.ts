/** Cases of purl-spec's tests (tests/spec and tests/types): an input and its canonical form. */
export const canonicalPurls: [purl: string, canonical: string][] = [
  ['pkg:npm/%40angular/animation@12.3.1', 'pkg:npm/%40angular/animation@12.3.1'],
  ['pkg:deb/debian/curl@7.50.3-1?distro=jessie&arch=i386', 'pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie'],
  ['pkg:deb/debian/g%2B%2B-10@10.2.1-6%2Bb1', 'pkg:deb/debian/g%2B%2B-10@10.2.1-6%2Bb1'],
  ['pkg:deb/debian/g++-10@10.2.1-6+b1', 'pkg:deb/debian/g%2B%2B-10@10.2.1-6%2Bb1'],
  [
    'pkg:golang/google.golang.org/genproto#/googleapis/api/annotations/',
    'pkg:golang/google.golang.org/genproto#googleapis/api/annotations',
  ],
  ['pkg:gem/jruby-launcher@1.1.2?Platform=java', 'pkg:gem/jruby-launcher@1.1.2?platform=java'],
  [
    'pkg:GitHub/Package-URL/purl-Spec@244fd47e07d1004f0aed9c',
    'pkg:github/package-url/purl-spec@244fd47e07d1004f0aed9c',
  ],
  [
    'pkg:bitbucket/birKenfeld/pyGments-main@244fd47e07d1014f0aed9c',
    'pkg:bitbucket/birkenfeld/pygments-main@244fd47e07d1014f0aed9c',
  ],
  ['pkg:rpm/Opensuse/Curl@7.56.1-1.1.?Arch=i386', 'pkg:rpm/opensuse/Curl@7.56.1-1.1.?arch=i386'],
  ['pkg:pub/Flutter-Slidable@0.6.0', 'pkg:pub/flutter_slidable@0.6.0'],
  ['pkg:PYPI/Django_package@1.11.1.dev1', 'pkg:pypi/django-package@1.11.1.dev1'],
  ['pkg:oci/Debian@sha256:244fd47e07d10', 'pkg:oci/debian@sha256:244fd47e07d10'],
  ['pkg:cpan/URI::PackageURL@2.11', 'pkg:cpan/URI::PackageURL@2.11'],
  [
    'pkg:conan/openssl.org/openssl@3.0.3?user=bincrafters&channel=stable',
    'pkg:conan/openssl.org/openssl@3.0.3?channel=stable&user=bincrafters',
  ],
  [
    'pkg:generic/openssl@1.1.10g?checksum=sha1:ad9503c3e994a4f,sha256:41bf9088',
    'pkg:generic/openssl@1.1.10g?checksum=sha1:ad9503c3e994a4f%2Csha256:41bf9088',
  ],
  [
    'pkg:generic/bitwarderl?checksum=sha1:ad9503c3e994a4f%2Csha256:41bf9088b3a1e6c1ef1d',
    'pkg:generic/bitwarderl?checksum=sha1:ad9503c3e994a4f%2Csha256:41bf9088b3a1e6c1ef1d',
  ],
  [
    'pkg:GOLANG/google.golang.org/genproto@abcdedf#/googleapis/api/annotations/',
    'pkg:golang/google.golang.org/genproto@abcdedf#googleapis/api/annotations',
  ],
  [
    'pkg:swid/Acme/example.com/Enterprise+Server@1.0.0?tag_id=75b8c285-fa7b-485b-b199-4745e3004d0d',
    'pkg:swid/Acme/example.com/Enterprise%2BServer@1.0.0?tag_id=75b8c285-fa7b-485b-b199-4745e3004d0d',
  ],
  [
    'pkg:julia/RegisterQD@0.3.1?uuid=ac24ea0c&repository_url=https://github.com/HolyLab/HolyLabRegistry',
    'pkg:julia/RegisterQD@0.3.1?repository_url=https://github.com/HolyLab/HolyLabRegistry&uuid=ac24ea0c',
  ],
  [
    'pkg:Maven/org.apache.xmlgraphics/batik-anim@1.9.1?type=pom&repositorY_url=https://repo.spring.io/release',
    'pkg:maven/org.apache.xmlgraphics/batik-anim@1.9.1?repository_url=https://repo.spring.io/release&type=pom',
  ],
  ['pkg:///maven/HTTPClient/HTTPClient@0.3-3', 'pkg:maven/HTTPClient/HTTPClient@0.3-3'],
  ['pkg:cpan/OALDERS/libwww-perl@6.76', 'pkg:cpan/OALDERS/libwww-perl@6.76'],
  ['pkg:alpm/arch/containers-common@1:0.47.4-4?arch=x86_64', 'pkg:alpm/arch/containers-common@1:0.47.4-4?arch=x86_64'],
  [
    'pkg:rpm/redhat/openssl@1.1.1k-8.el8?epoch=1&arch=x86_64',
    'pkg:rpm/redhat/openssl@1.1.1k-8.el8?arch=x86_64&epoch=1',
  ],
]

export const refusedPurls: [why: string, purl: string][] = [
  ['a scheme is required', 'EnterpriseLibrary.Common@6.0.1304'],
  ['a type is required', 'pkg:EnterpriseLibrary.Common@6.0.1304'],
  ['a type is of letters and digits', 'pkg:n&g?inx/nginx@0.8.9'],
  ['a type begins with a letter', 'pkg:3nginx/nginx@0.8.9'],
  ['a type has no colon', 'pkg:nginx:a/nginx@0.8.9'],
  ['the key of a qualifier has no blank', 'pkg:npm/myartifact@1.0.0?in%20production=true'],
  ['a name is required', 'pkg:maven/@1.3.4'],
  ['a name is required of julia, too', 'pkg:julia/@1.9.0'],
  ['a type alone', 'pkg:julia'],
  ['the colon is not encoded', 'pkg%3Amaven/org.apache.commons/io'],
  ['maven has a namespace', 'pkg:maven/log4j@1.2'],
  ['swift has a namespace', 'pkg:swift/Alamofire@5.4.3'],
  ['cran has none', 'pkg:cran/someone/A3@0.9.1'],
  ['a recipe of a user has a channel', 'pkg:conan/bincrafters/cctz@2.3'],
  ['a recipe of nobody has none', 'pkg:conan/cctz@2.3?channel=stable'],
  ['a distribution of CPAN has no colons', 'pkg:cpan/GDT/URI::PackageURL@2.11'],
]

/** Texts that purl-spec's tests refuse or write differently, and that we read on purpose. */
export const departedPurls: [why: string, purl: string][] = [
  ['people look for packages without a version', 'pkg:swift/github.com/Alamofire/Alamofire'],
  ['people look for packages without a version', 'pkg:cran/A3'],
  ['people look for packages of Julia without their uuid', 'pkg:julia/Dates@1.9.0'],
  ['people look for distributions of CPAN without their author', 'pkg:cpan/Perl-Version@1.013'],
  ['old packages of npm have capitals in their names', 'pkg:npm/JSONStream@1.3.5'],
]
