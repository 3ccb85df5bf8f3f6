check tests/data/aoti_blobs.pte tests/data/aoti_package.pt2 --gpu 7.5,sm_100 --glibc 2.13 --shims tests/data/aoti_shims.txt --select library
