package etcd

import (
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

// certain holds what etcd says when a write was turned away before it was proposed, or by
// every member alike when it was applied: it never takes effect. The text is compared,
// since some of these errors reach the client without their code.
//
// "database space exceeded" is missing here on purpose: a member that finds its quota
// exceeded while it applies a write answers so, but has written (apply/quota.go). So are
// "leader changed", "server stopped" and all that timed out: proposed, and perhaps
// committed. A connection's end says nothing either way.
var certain = map[string]string{
	rpctypes.ErrorDesc(rpctypes.ErrGRPCNoLeader):               "NoLeader",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCNotCapable):             "NotCapable",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCRequestTooManyRequests): "TooManyRequests",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCRequestTooLarge):        "RequestTooLarge",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCEmptyKey):               "EmptyKey",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCLeaseNotFound):          "LeaseNotFound", // it has expired
	rpctypes.ErrorDesc(rpctypes.ErrGRPCNotSupportedForLearner): "Learner",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCUserEmpty):              "UserEmpty",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCPermissionDenied):       "PermissionDenied",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCInvalidAuthToken):       "InvalidAuthToken",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCAuthOldRevision):        "AuthOldRevision",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCAuthFailed):             "AuthFailed",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCAuthNotEnabled):         "AuthNotEnabled",
	// By the member that was asked, when it knows no leader to send the proposal to.
	"raft proposal dropped": "ProposalDropped",
}

// uncertain names the errors that are worth telling apart in a report.
var uncertain = map[string]string{
	rpctypes.ErrorDesc(rpctypes.ErrGRPCNoSpace):                    "NoSpace",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCLeaderChanged):              "LeaderChanged",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCStopped):                    "Stopped",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCTimeout):                    "Timeout",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCTimeoutDueToLeaderFail):     "TimeoutLeaderFailed",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCTimeoutDueToConnectionLost): "TimeoutConnectionLost",
	rpctypes.ErrorDesc(rpctypes.ErrGRPCTimeoutWaitAppliedIndex):    "TimeoutWaitApplied",
}

func readError(err error) error {
	code, _ := classify(err)
	return &stores.Error{Outcome: stores.Failed, Code: code, Err: err}
}

func writeError(err error) error {
	code, never := classify(err)
	outcome := stores.Unknown
	if never {
		outcome = stores.Failed
	}
	return &stores.Error{Outcome: outcome, Code: code, Err: err}
}

// classify names an error, and says whether it is certain that a write which ended with
// it never takes effect.
func classify(err error) (code string, never bool) {
	text := rpctypes.ErrorDesc(err)
	if name, ok := certain[text]; ok {
		return name, true
	}
	if name, ok := uncertain[text]; ok {
		return name, false
	}
	if strings.HasPrefix(text, noToken) {
		return "NoToken", true
	}
	// Of a write it can be the server alone that says so, before it has seen what it is.
	if strings.HasPrefix(text, "grpc: received message larger than max") {
		return "RequestTooLarge", true
	}
	switch grpcCode := status.Code(err); {
	case (grpcCode == codes.DeadlineExceeded || grpcCode == codes.Unavailable) && neverSent(text):
		return stores.CodeNoConnection, true
	case grpcCode == codes.DeadlineExceeded:
		return stores.CodeDeadline, false
	case isLost(err):
		return stores.CodeConnectionLost, false
	default:
		return grpcCode.String(), false
	}
}

// neverSent says that gRPC had no connection for a request until its deadline, or that it failed to make one. gRPC
// says so in words alone, where it picks a connection and where it makes one:
// https://github.com/grpc/grpc-go/blob/v1.83.2/picker_wrapper.go, and internal/transport/http2_client.go there. It
// picks again only for what it knows that no server has begun with.
func neverSent(text string) bool {
	return strings.HasPrefix(text, "latest balancer error: ") ||
		strings.HasSuffix(text, " while waiting for connections to become ready") ||
		slices.ContainsFunc(dialing, func(words string) bool { return strings.Contains(text, words) })
}

// dialing are words of the errors of gRPC's attempts to connect.
var dialing = []string{
	"transport: Error while dialing: ", "transport: authentication handshake failed: ", "error reading server preface: ",
}

// isLost says that a connection ended under a request. gRPC itself then says that the member is unavailable; a
// member that says so has words of etcd's.
func isLost(err error) bool { return status.Code(err) == codes.Unavailable && !saidByEtcd(err) }

// isRefusal says whether one side of a connection didn't take the other's certificate, or a member
// asks for a user, or for another one, or for none. That a connection ended while it was made says
// nothing of it.
func isRefusal(text string) bool {
	switch text {
	case rpctypes.ErrorDesc(rpctypes.ErrGRPCUserEmpty), rpctypes.ErrorDesc(rpctypes.ErrGRPCAuthFailed), rpctypes.ErrorDesc(rpctypes.ErrGRPCAuthNotEnabled):
		return true
	}
	return strings.Contains(text, "x509: ") || strings.Contains(text, "tls: ")
}
