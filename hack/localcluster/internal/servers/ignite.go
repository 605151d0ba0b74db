package servers

import "github.com/kvbench/kvbench/hack/localcluster/internal/maven"

// igniteJars are Ignite, with the parts that read its file and that answer SQL, and those of their
// libraries that a member loads.
var igniteJars = []maven.Jar{
	{Path: "org/apache/ignite/ignite-core/2.17.0/ignite-core-2.17.0.jar", SHA256: "99eb9daa15208b6aaf39adb11403b5f6a6380ace134a5100b9be349bc81901da"},
	{Path: "org/apache/ignite/ignite-indexing/2.17.0/ignite-indexing-2.17.0.jar", SHA256: "4993e6cf8a12ea3e5f87b9ead87b4b770052240fa381b70c141e05bc869489b6"},
	{Path: "org/apache/ignite/ignite-spring/2.17.0/ignite-spring-2.17.0.jar", SHA256: "0b60b3eef287c81c6b9779b5c4c4477d54fcae569921e8c53e0c17a4a40d6d45"},
	{Path: "com/h2database/h2/1.4.197/h2-1.4.197.jar", SHA256: "37f5216e14af2772930dff9b8734353f0a80e89ba3f33e065441de6537c5e842"},
	{Path: "javax/cache/cache-api/1.0.0/cache-api-1.0.0.jar", SHA256: "d2836213144722e2eb1d7461f6e2ea3349d6fbbf9cd5f345c7133bc29bd39ca1"},
	{Path: "org/springframework/spring-aop/5.3.39/spring-aop-5.3.39.jar", SHA256: "aa706e4f749982c0bae5fa637433c44c24f0fff5d16dc41deea6d30c3dfa7c85"},
	{Path: "org/springframework/spring-beans/5.3.39/spring-beans-5.3.39.jar", SHA256: "b6697a5d8facb81aa75e5a46d959d4256da9ce3b40d33f3b5bbd42a8b1ed5722"},
	{Path: "org/springframework/spring-context/5.3.39/spring-context-5.3.39.jar", SHA256: "9e644fc33bece9a9cb82538167a1b9640ae7b7d80252e893d89b8926a2f81633"},
	{Path: "org/springframework/spring-core/5.3.39/spring-core-5.3.39.jar", SHA256: "3a1ddcf05420a9181bd9cacb6062a3edc493e14d555961ad50e1a6360eb1e75f"},
	{Path: "org/springframework/spring-expression/5.3.39/spring-expression-5.3.39.jar", SHA256: "d5337774d889fcdc9c08b0c8b8aaa1018d4c95b9b441db0118f7ae4d328f2810"},
	{Path: "org/springframework/spring-jcl/5.3.39/spring-jcl-5.3.39.jar", SHA256: "adbe656fc622e2457fefa09529d4b7c1126a3c4ff1c9306907764fcc93f1b725"},
}
