# Debian's further requirements for a package: a changelog, compressed manual pages, and overrides of lintian's warnings. cpack runs this
# script before it builds the package.
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(documents ${usr}/share/doc/moontorch)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "moontorch (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the sources of version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}
")
file(GLOB manual ${usr}/share/man/man*/*[0-9])
execute_process(COMMAND gzip -9n ${documents}/changelog ${manual} COMMAND_ERROR_IS_FATAL ANY)
# The package has the program, the library and the development files; cpack writes scripts that call ldconfig.
file(WRITE ${usr}/share/lintian/overrides/moontorch "moontorch: package-name-doesnt-match-sonames *
moontorch: link-to-shared-library-in-wrong-package *
moontorch: maintscript-calls-ldconfig *
")
file(CHMOD_RECURSE ${usr}/share/lintian ${documents} DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
