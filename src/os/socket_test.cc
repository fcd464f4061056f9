#include "os/socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>
#include <vector>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::os {
namespace {

void expect_conversation(const std::string& path) {
  ASSERT_OK_AND_ASSIGN(UniqueFd listener, listen_unix(path, 0600));
  ASSERT_OK_AND_ASSIGN(UniqueFd client, connect_unix(path));
  ASSERT_OK_AND_ASSIGN(UniqueFd server, accept_unix(listener.get()));
  ASSERT_OK(write_all(client.get(), "hello"));
  char text[8] = {};
  ASSERT_EQ(::read(server.get(), text, sizeof text), 5);
  EXPECT_STREQ(text, "hello");
}

TEST(UnixSocketTest, APathOfAnyLengthWorks) {
  test::TempDir dir;
  std::string deep = dir.path();
  for (int i = 0; i < 20; ++i) {
    expect_conversation(deep + "/socket");
    deep += "/a-directory-name-" + std::to_string(i);
    ASSERT_OK(make_directories(deep));
  }
  EXPECT_GT(deep.size(), 300U);
}

TEST(UnixSocketTest, EveryLengthAroundTheKernelsLimitWorks) {
  test::TempDir dir;
  ASSERT_LT(dir.path().size(), 60U);
  for (std::size_t size = 104; size <= 112; ++size) {
    std::string inner = dir / std::string(size - dir.path().size() - 3, 'd');
    ASSERT_OK(make_directories(inner));
    std::string path = inner + "/s";
    ASSERT_EQ(path.size(), size);
    expect_conversation(path);
  }
}

TEST(UnixSocketTest, AFileNameLongerThanSunPathIsRefused) {
  test::TempDir dir;
  auto listener = listen_unix(dir / std::string(150, 'n'), 0600);
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.error().code, ErrorCode::kInvalidArgument);
}

TEST(UnixSocketTest, TheModeIsTheOneAskedForAndAStaleSocketIsReplaced) {
  test::TempDir dir;
  { ASSERT_OK(listen_unix(dir / "s", 0666)); }
  ASSERT_OK_AND_ASSIGN(UniqueFd listener, listen_unix(dir / "s", 0600));
  struct stat info {};
  ASSERT_EQ(::stat((dir / "s").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

TEST(UnixSocketTest, ConnectingWithoutAListenerIsAnErrorThatNamesThePath) {
  test::TempDir dir;
  auto none = connect_unix(dir / "nobody");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_NE(none.error().message.find(dir / "nobody"), std::string::npos);
}

TEST(UnixSocketTest, NoDescriptorIsInheritedAcrossExec) {
  test::TempDir dir;
  ASSERT_OK_AND_ASSIGN(UniqueFd listener, listen_unix(dir / "s", 0600));
  ASSERT_OK_AND_ASSIGN(UniqueFd client, connect_unix(dir / "s"));
  ASSERT_OK_AND_ASSIGN(UniqueFd server, accept_unix(listener.get()));
  for (int fd : {listener.get(), client.get(), server.get()})
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

void send_with_descriptors(int fd, std::string_view bytes, const std::vector<int>& passed) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * passed.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * passed.size());
  std::memcpy(CMSG_DATA(header), passed.data(), sizeof(int) * passed.size());
  ASSERT_EQ(::sendmsg(fd, &message, 0), static_cast<ssize_t>(bytes.size()));
}

std::size_t open_descriptors() { return list_directory("/proc/self/fd").value().size(); }

TEST(DatagramTest, MessagesKeepTheirBoundariesAndAClosedPeerIsEmpty) {
  ASSERT_OK_AND_ASSIGN(auto pair, seqpacket_pair());
  ASSERT_EQ(::send(pair.first.get(), "one", 3, 0), 3);
  ASSERT_EQ(::send(pair.first.get(), "two", 3, 0), 3);
  ASSERT_OK_AND_ASSIGN(Datagram one, receive_datagram(pair.second.get(), 100));
  EXPECT_EQ(one.bytes, "one");
  EXPECT_FALSE(one.passed_fd.valid());
  ASSERT_OK_AND_ASSIGN(Datagram two, receive_datagram(pair.second.get(), 100));
  EXPECT_EQ(two.bytes, "two");
  pair.first.reset();
  ASSERT_OK_AND_ASSIGN(Datagram end, receive_datagram(pair.second.get(), 100));
  EXPECT_TRUE(end.bytes.empty());
}

TEST(DatagramTest, TheFirstDescriptorIsKeptAndTheOthersAreClosed) {
  ASSERT_OK_AND_ASSIGN(auto pair, seqpacket_pair());
  ASSERT_OK_AND_ASSIGN(UniqueFd null, open_file("/dev/null", O_RDONLY));
  std::size_t before = open_descriptors();
  send_with_descriptors(pair.first.get(), "x", {null.get(), null.get(), null.get()});
  ASSERT_OK_AND_ASSIGN(Datagram datagram, receive_datagram(pair.second.get(), 100));
  EXPECT_TRUE(datagram.passed_fd.valid());
  EXPECT_EQ(::fcntl(datagram.passed_fd.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(open_descriptors(), before + 1);
}

TEST(WaitReadableTest, DataAndHangUpsAreReadableAndSilenceIsNot) {
  ASSERT_OK_AND_ASSIGN(auto pair, seqpacket_pair());
  ASSERT_OK_AND_ASSIGN(bool ready, wait_readable(pair.second.get(), Deadline::after(seconds(0))));
  EXPECT_FALSE(ready);
  ASSERT_EQ(::send(pair.first.get(), "x", 1, 0), 1);
  ASSERT_OK_AND_ASSIGN(ready, wait_readable(pair.second.get(), Deadline::never()));
  EXPECT_TRUE(ready);
  ASSERT_OK(receive_datagram(pair.second.get(), 10));
  pair.first.reset();
  ASSERT_OK_AND_ASSIGN(ready, wait_readable(pair.second.get(), Deadline::never()));
  EXPECT_TRUE(ready);
}

}  // namespace
}  // namespace sf::os
