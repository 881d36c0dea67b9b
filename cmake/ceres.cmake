# corecast::ceres: Ceres without a multi-threaded BLAS.
#
# Debian's Ceres brings SuiteSparse and LAPACK, and with them whichever BLAS the system has chosen. OpenBLAS starts its
# threads when it is loaded: before main(), on every run, and it ends the program where no thread may be started. The fits
# here are small and dense, in Eigen; so the archives are linked with the reference BLAS, of which nothing runs.
find_package(Ceres REQUIRED)
add_library(corecast_ceres INTERFACE)
add_library(corecast::ceres ALIAS corecast_ceres)

set(corecast_ceres_archives "")
foreach(name ceres spqr cholmod ccolamd camd colamd amd cxsparse suitesparseconfig lapack blas gfortran quadmath)
  find_library(CORECAST_ARCHIVE_${name} NAMES lib${name}.a PATH_SUFFIXES ${name} NO_CACHE
    PATHS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES} ${CMAKE_SYSROOT}/usr/lib/gcc/${CMAKE_LIBRARY_ARCHITECTURE}/12)
  # Not the alternative that the system has chosen (a link in the library directory) but the reference, in its own folder.
  if(name MATCHES "^(lapack|blas)$")
    find_library(CORECAST_REFERENCE_${name} NAMES lib${name}.a NO_CACHE NO_DEFAULT_PATH
      PATHS ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name})
    set(CORECAST_ARCHIVE_${name} ${CORECAST_REFERENCE_${name}})
  endif()
  if(name STREQUAL "quadmath" AND NOT CORECAST_ARCHIVE_${name})
    continue()  # of processors without a quadruple type of their own, x86 only
  endif()
  list(APPEND corecast_ceres_archives ${CORECAST_ARCHIVE_${name}})
endforeach()

# The graph partitioner of CHOLMOD comes without a development package.
find_library(CORECAST_METIS NAMES metis libmetis.so.5 NO_CACHE)

if(NOT corecast_ceres_archives MATCHES NOTFOUND AND CORECAST_METIS)
  target_include_directories(corecast_ceres SYSTEM INTERFACE
    $<TARGET_PROPERTY:Ceres::ceres,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(corecast_ceres INTERFACE
    -Wl,--start-group ${corecast_ceres_archives} -Wl,--end-group ${CORECAST_METIS} gomp glog Eigen3::Eigen Threads::Threads)
else()
  message(WARNING "no archives of SuiteSparse and the reference LAPACK: Ceres is linked as Debian configures it")
  target_link_libraries(corecast_ceres INTERFACE Ceres::ceres)
endif()
