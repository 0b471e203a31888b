/* A quicksort that launches itself for both parts; short parts are sorted by one thread. */
#include "program.h"

__global__ void quicksort(int *data, int first, int last, int depth) {
  if (last - first < 8 || depth == 0) {
    for (int i = first + 1; i <= last; i++)
      for (int j = i; j > first && data[j - 1] > data[j]; j--) {
        int t = data[j];
        data[j] = data[j - 1];
        data[j - 1] = t;
      }
    return;
  }
  int pivot = data[(first + last) / 2], left = first, right = last;
  while (left <= right) {
    while (data[left] < pivot)
      left++;
    while (data[right] > pivot)
      right--;
    if (left <= right) {
      int t = data[left];
      data[left++] = data[right];
      data[right--] = t;
    }
  }
  cudaStream_t streams[2];
  for (int i = 0; i < 2; i++)
    cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
  if (first < right)
    quicksort<<<1, 1, 0, streams[0]>>>(data, first, right, depth - 1);
  if (left < last)
    quicksort<<<1, 1, 0, streams[1]>>>(data, left, last, depth - 1);
  for (int i = 0; i < 2; i++)
    cudaStreamDestroy(streams[i]);
}
PROGRAM(children_quicksort) {
  const int count = 1000;
  std::vector<int> host(count);
  for (int i = 0; i < count; i++)
    host[i] = i * 7919 % 1009;
  int *data = upload(host);
  quicksort<<<1, 1>>>(data, 0, count - 1, 20);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> got = download(data, count);
  for (int i = 1; i < count; i++)
    REQUIRE(got[i - 1] <= got[i]);
}
