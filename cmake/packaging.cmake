# cpack makes corecast-VERSION-Linux-ARCH.deb and .tar.gz that run on servers where nobody builds: all shared libraries but
# those of the C library go along, in lib/corecast, found by a path relative to the program. What oneDNN and OpenBLAS
# kernels need is loaded at run time where it is there.
set(CPACK_PACKAGE_NAME corecast)
set(CPACK_PACKAGE_VENDOR "corecast")
set(CPACK_PACKAGE_CONTACT "corecast maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME corecast-${PROJECT_VERSION}-Linux-${CMAKE_SYSTEM_PROCESSOR})
# The bundled libraries serve this program alone; of the system only the C library is needed.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdnnl2, libopenblas0-pthread")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)
