#include "explore/agents/llm/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace sf::explore::llm {
namespace {

struct EndHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, EndHandle>;

struct FreeHeaders {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, FreeHeaders>;

Headers headers_of(const std::vector<std::string>& lines) {
  Headers headers;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) continue;
    (void)headers.release();
    headers.reset(longer);
  }
  return headers;
}

// Status, content type and retry delay, as far as the head of the reply has arrived.
void read_head(CURL* handle, HttpReply& reply) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
  reply.content_type = type == nullptr ? "" : type;
}

std::optional<milliseconds> retry_after(CURL* handle) {
  curl_header* header = nullptr;
  // Some servers send this header in addition to the standard one, which has whole seconds.
  if (curl_easy_header(handle, "retry-after-ms", 0, CURLH_HEADER, -1, &header) == CURLHE_OK) {
    const double span = std::strtod(header->value, nullptr);
    if (span > 0 && span < 1e9) return milliseconds(static_cast<long long>(span));
  }
  curl_off_t whole_seconds = 0;  // libcurl also converts a date
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &whole_seconds);
  if (whole_seconds <= 0) return std::nullopt;
  return milliseconds(1000 * std::min<curl_off_t>(whole_seconds, 1'000'000));
}

Error transfer_error(CURL* handle, CURLcode code, const char* details) {
  const char* what = *details != '\0' ? details : curl_easy_strerror(code);
  long error = 0;
  curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &error);
  const auto kind = code == CURLE_OPERATION_TIMEDOUT ? ErrorCode::kTimedOut : ErrorCode::kOs;
  return {kind, static_cast<int>(error), what, "", {}};
}

struct Receiver {
  CURL* handle;
  HttpReply& reply;
  const HttpClient::OnBody& on_body;
};

std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& receiver = *static_cast<Receiver*>(context);
  if (receiver.reply.status == 0) read_head(receiver.handle, receiver.reply);
  return receiver.on_body(receiver.reply, {bytes, size * count}) ? size * count : 0;
}

}  // namespace

// Pool of curl handles. Each handle keeps its connection open between requests.
class HttpClient::Handles {
 public:
  // Reference-counted by libcurl. If it fails, curl_easy_init() fails as well.
  Handles() { (void)curl_global_init(CURL_GLOBAL_DEFAULT); }
  ~Handles() {
    idle_.clear();
    curl_global_cleanup();
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  Handle take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return Handle(curl_easy_init());
    Handle handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }
  void give_back(Handle handle) {
    curl_easy_reset(handle.get());
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(handle));
  }

 private:
  std::mutex mutex_;
  std::vector<Handle> idle_;
};

HttpClient::HttpClient() : handles_(std::make_unique<Handles>()) {}
HttpClient::~HttpClient() = default;

HttpReply HttpClient::post(const HttpRequest& request, milliseconds limit,
                           const OnBody& on_body) const {
  HttpReply reply;
  Handle owner = handles_->take();
  CURL* handle = owner.get();
  if (handle == nullptr) {
    reply.transfer = fail(ErrorCode::kOs, "cannot initialise libcurl");
    return reply;
  }
  Receiver receiver{handle, reply, on_body};
  const Headers headers = headers_of(request.headers);
  std::array<char, CURL_ERROR_SIZE> details{};
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.c_str());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "statefork");
  // libcurl takes 0 as "no limit".
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(limit.count())));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);  // the process is multithreaded
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, details.data());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiver);
  const CURLcode code = curl_easy_perform(handle);
  read_head(handle, reply);
  reply.retry_after = retry_after(handle);
  if (code != CURLE_OK) reply.transfer = transfer_error(handle, code, details.data());
  handles_->give_back(std::move(owner));
  return reply;
}

}  // namespace sf::explore::llm
