# Embeds the project's prompts/ in the program.
foreach(name propose assess choose)
  set(file "${CMAKE_SOURCE_DIR}/prompts/${name}.md")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  string(TOUPPER ${name} upper)
  file(READ "${file}" SF_PROMPT_${upper})
endforeach()
configure_file(agents/llm/default_prompts.cc.in "${CMAKE_CURRENT_BINARY_DIR}/default_prompts.cc" @ONLY)
target_sources(sf_explore PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/default_prompts.cc")
