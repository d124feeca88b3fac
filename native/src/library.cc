#include "library.h"

#include "whole_file.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace onpar {

namespace {

#if defined(_WIN32)
void* open_file(const std::string& path, std::string& problem) {
  const int size = MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, wide.data(), size);
  HMODULE handle = LoadLibraryExW(wide.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (handle == nullptr) problem = "Windows error " + std::to_string(GetLastError());
  return reinterpret_cast<void*>(handle);
}
void* find_symbol(void* handle, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(handle), name));
}
void close_file(void* handle) { FreeLibrary(reinterpret_cast<HMODULE>(handle)); }
#else
void* open_file(const std::string& path, std::string& problem) {
  // Everything is bound now, so that what is missing is said here and does not end the process later.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    problem = why == nullptr ? "unknown reason" : why;
  }
  return handle;
}
void* find_symbol(void* handle, const char* name) { return dlsym(handle, name); }
void close_file(void* handle) { dlclose(handle); }
#endif

template <typename Function>
bool look_up(void* handle, const char* name, Function& target) {
  void* symbol = find_symbol(handle, name);
  target = reinterpret_cast<Function>(symbol);
  return symbol != nullptr;
}

}  // namespace

std::shared_ptr<Library> Library::open(const std::string& path) {
  // A name without a folder is not this file: the loader looks for it where the system keeps libraries.
  std::string problem = path.find('/') == std::string::npos ? "" : what_is_cut_off(path);
  if (!problem.empty()) throw LibraryError("cannot be opened: " + problem);
  void* handle = open_file(path, problem);
  if (handle == nullptr) throw LibraryError("cannot be opened: " + problem);

  auto library = std::make_shared<Library>();
  AbiFunctions& f = library->functions_;
  std::string lacking;
  const auto required = [&](const char* name, auto& target) {
    if (!look_up(handle, name, target)) lacking += (lacking.empty() ? "" : ", ") + std::string(name);
  };
  const auto optional = [&](const char* name, auto& target) {
    if (!look_up(handle, name, target)) library->missing_.emplace_back(name);
  };
  required("vllm_abi_version", f.abi_version);
  required("vllm_version", f.version);
  if (!lacking.empty()) {
    close_file(handle);
    throw LibraryError("is not libvllm: it has no " + lacking);
  }
  library->abi_version_ = f.abi_version();
  if (library->abi_version_ < kOldestAbi) {
    const std::string version = std::to_string(library->abi_version_);
    close_file(handle);
    throw LibraryError("has ABI version " + version + "; the oldest that can be used is " + std::to_string(kOldestAbi));
  }
  required("vllm_last_error", f.last_error);
  required("vllm_engine_load", f.engine_load);
  required("vllm_engine_free", f.engine_free);
  required("vllm_request_submit", f.request_submit);
  required("vllm_request_cancel", f.request_cancel);
  required("vllm_request_wait", f.request_wait);
  required("vllm_request_done", f.request_done);
  required("vllm_request_free", f.request_free);
  if (!lacking.empty()) {
    close_file(handle);
    throw LibraryError("is libvllm without the functions that streaming needs: it has no " + lacking);
  }
  const char* version = f.version();
  library->version_ = version == nullptr ? "" : version;
  optional("vllm_chat_stream", f.chat_stream);
  optional("vllm_complete_tokens", f.complete_tokens);
  optional("vllm_completion_free", f.completion_free);
  optional("vllm_engine_spec_acceptance", f.spec_acceptance);
  return library;
}

std::string Library::last_error() const {
  const char* message = functions_.last_error();
  return message == nullptr ? std::string() : std::string(message);
}

}  // namespace onpar
