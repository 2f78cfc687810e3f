-- For wrk: asks for predictions of random models at random process counts, so that no answer can be reused. The
-- environment has APMT_TOKEN and IDS, the ids of the applications.
local ids = {}
for id in os.getenv("IDS"):gmatch("%d+") do
  ids[#ids + 1] = id
end
local headers = {["Authorization"] = "Bearer " .. os.getenv("APMT_TOKEN")}

function init()
  math.randomseed(1)
end

function request()
  return wrk.format("GET", string.format("/api/v1/applications/%s/predict?procs=%d", ids[math.random(#ids)],
                                         math.random(16, 1000000)), headers)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
                         latency:percentile(99),
                         errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
