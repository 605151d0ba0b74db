-- Argo CD's health of a BenchmarkRun, for the ConfigMap argocd-cm, key
-- resource.customizations.health.kvbench.io_BenchmarkRun. The same words as kstatus uses:
-- Stalled is the end of a run that failed, whose numbers may not be believed, or that keeps not all of its objectives.
local health = {status = "Progressing", message = "waiting for kvbench"}
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  return health
end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Stalled" and condition.status == "True" then
    return {status = "Degraded", message = condition.message}
  end
  if condition.type == "Ready" then
    health.message = condition.message
    if condition.status == "True" then
      health.status = "Healthy"
    end
  end
end
return health
