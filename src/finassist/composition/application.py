"""The application: every use case as an attribute, typed by its class and ready to be called."""

from dataclasses import dataclass
from typing import Annotated, Final

from finassist.application.accounts.events import ReportEvent
from finassist.application.accounts.overview import AdmitWebhook, GetAccount, SyncUser, UpdateAccount
from finassist.application.auth.audit import DeleteOldAudit, ListAudit, RecordAudit
from finassist.application.auth.backend_secret import AdmitBackend
from finassist.application.auth.callers import AdmitDevice, FindTokenUser, GiveDeviceToken, ResolveCaller
from finassist.application.auth.mails import ForgetPassword, Outbox
from finassist.application.auth.oauth import (
    AuthorizeSecondFactor,
    AuthorizeSignIn,
    AuthorizeSignUp,
    GrantTokens,
    OfferForm,
    TakeForm,
)
from finassist.application.auth.otp import SendOtp, VerifyOtp
from finassist.application.auth.password_rules import RequireGoodPassword
from finassist.application.auth.passwords import (
    ChangePassword,
    ResetPassword,
    SendVerification,
    VerifyEmail,
)
from finassist.application.auth.second_factor import (
    BeginSecondFactor,
    ConfirmSecondFactor,
    FindSecondFactor,
    RemoveSecondFactor,
    SignInSecondFactor,
)
from finassist.application.auth.sessions import EndOtherSessions, EndSession, FindSessions
from finassist.application.auth.sign_in import (
    DeleteExpiredLogins,
    DescribeProvider,
    DescribeSignInOptions,
    OpenSession,
    RefreshSession,
    RotateKeys,
    SetPassword,
    SignIn,
    SignOut,
    SignUp,
)
from finassist.application.auth.social_redirect import FinishAppLogin, FinishLogin, StartLogin
from finassist.application.auth.social_tokens import SignInSocial, StartSocialLogin
from finassist.application.catalogs.preprompts import (
    CreatePreprompt,
    DeletePreprompt,
    GetPreprompt,
    ListPreprompts,
    OfferPreprompts,
    UpdatePreprompt,
)
from finassist.application.catalogs.quote_images import (
    CheckCategories,
    CreateQuoteImages,
    DeleteQuoteImage,
    GetQuoteImage,
    ListQuoteImageCategories,
    ListQuoteImages,
    OpenQuoteImage,
    SeedQuoteImages,
    UpdateQuoteImage,
)
from finassist.application.chat.describe import DescribeAssistant
from finassist.application.chat.models import OfferedModels
from finassist.application.chat.send import SendMessage
from finassist.application.chat.turns.collect import CollectOrphans, DeleteExpired
from finassist.application.chat.turns.follow import FollowTurn
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.stop import StopTurn, StopTurnByKey
from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.concurrency.readiness import CheckReadiness
from finassist.application.conversations import (
    ArchiveConversation,
    DeleteConversation,
    GetConversation,
    GiveFeedback,
    ListConversations,
    ListMessages,
    RestoreConversation,
    UpdateConversation,
)
from finassist.application.data_export import ReadOwnedRecords
from finassist.application.erasure.admission import EraseAgain
from finassist.application.erasure.requests import ErasureRunner, GetErasure, RequestErasure
from finassist.application.files.objects import FollowObjectLink
from finassist.application.files.records import (
    DeleteFile,
    GetFile,
    LinkAttachments,
    ListFiles,
    SweepFiles,
    UploadFile,
)
from finassist.application.launch import DeleteUnusedDevices, LaunchApp, VerifyLaunchToken
from finassist.application.links import GetLinks, SetLinks
from finassist.application.operations.verification import Verify
from finassist.application.profile_cards import (
    AnswerCards,
    CheckAnswers,
    GetProfileCards,
    ListProfileCards,
    StartCardSession,
    SummariseProfile,
)
from finassist.application.quotas import CountChatRequest, GrantQuota, ReadQuota, ResetQuota, SetPlan
from finassist.application.retrieval.embedding import EmbedArticles, ReplaceVectors
from finassist.application.retrieval.inquiry import ConsiderMessage
from finassist.application.retrieval.knowledge import (
    AddArticles,
    EvaluateKnowledge,
    ListArticles,
    SearchKnowledge,
    SeedKnowledge,
)
from finassist.application.retrieval.search import Retrieve
from finassist.application.seeding import FillCatalogs, SeedLinks, SeedPreprompts
from finassist.application.shares.owner import (
    AnalyseShare,
    CreateShare,
    ListShares,
    PreviewShare,
    RevokeShare,
    UpdateShare,
)
from finassist.application.shares.public import ContinueShare, CountView, ViewShare
from finassist.composition.adapters import Adapters
from finassist.composition.wiring import Instead
from finassist.config import Settings

_SECOND_OPINION: Final = Instead({"preprompts": "second_opinion_preprompts"}, {"by_key": True})
"""The use cases of the second catalog are those of the first, with other records and addressed by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Background jobs. Each runs by itself, and a script can run it an additional time."""

    background_tasks: BackgroundTasks
    turn_runner: TurnRunner
    erasure_runner: ErasureRunner
    outbox: Outbox
    count_view: CountView
    collect_orphans: CollectOrphans
    delete_expired: DeleteExpired
    delete_expired_logins: DeleteExpiredLogins
    delete_old_audit: DeleteOldAudit
    delete_unused_devices: DeleteUnusedDevices
    sweep_files: SweepFiles
    seed_knowledge: SeedKnowledge
    fill_catalogs: FillCatalogs


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)  # half a million characters
class Finassist:
    """The whole service for a script: each attribute is a use case, called like a function.

    ``adapters`` are the implementations of the ports, ``workers`` the background jobs. A field here makes a
    use case available: its class declares its dependencies, which are filled by type and name (``wiring``).
    """

    settings: Settings
    adapters: Adapters
    workers: Workers

    check_readiness: CheckReadiness

    # Accounts and signing in
    resolve_caller: ResolveCaller
    admit_device: AdmitDevice
    give_device_token: GiveDeviceToken
    find_token_user: FindTokenUser
    sign_up: SignUp
    sign_in: SignIn
    sign_in_social: SignInSocial
    start_social_login: StartSocialLogin
    open_session: OpenSession
    refresh_session: RefreshSession
    sign_out: SignOut
    find_second_factor: FindSecondFactor
    begin_second_factor: BeginSecondFactor
    confirm_second_factor: ConfirmSecondFactor
    remove_second_factor: RemoveSecondFactor
    sign_in_second_factor: SignInSecondFactor
    authorize_second_factor: AuthorizeSecondFactor
    find_sessions: FindSessions
    end_session: EndSession
    end_other_sessions: EndOtherSessions
    set_password: SetPassword
    forget_password: ForgetPassword
    reset_password: ResetPassword
    change_password: ChangePassword
    send_verification: SendVerification
    verify_email: VerifyEmail
    require_good_password: RequireGoodPassword
    rotate_keys: RotateKeys
    describe_provider: DescribeProvider
    describe_sign_in_options: DescribeSignInOptions
    start_login: StartLogin
    finish_login: FinishLogin
    finish_app_login: FinishAppLogin
    offer_form: OfferForm
    take_form: TakeForm
    authorize_sign_in: AuthorizeSignIn
    authorize_sign_up: AuthorizeSignUp
    grant_tokens: GrantTokens
    send_otp: SendOtp
    verify_otp: VerifyOtp
    get_account: GetAccount
    update_account: UpdateAccount
    admit_backend: AdmitBackend
    admit_webhook: AdmitWebhook
    sync_user: SyncUser
    report_event: ReportEvent
    record_audit: RecordAudit
    list_audit: ListAudit

    # Starting the app
    launch_app: LaunchApp
    verify_launch_token: VerifyLaunchToken
    get_links: GetLinks
    set_links: SetLinks

    # The chat
    send_message: SendMessage
    follow_turn: FollowTurn
    stop_turn: StopTurn
    stop_turn_by_key: StopTurnByKey
    describe_assistant: DescribeAssistant
    offered_models: OfferedModels
    count_chat_request: CountChatRequest
    read_quota: ReadQuota
    grant_quota: GrantQuota
    set_plan: SetPlan
    reset_quota: ResetQuota
    consider_message: ConsiderMessage

    # Conversations
    list_conversations: ListConversations
    get_conversation: GetConversation
    list_messages: ListMessages
    update_conversation: UpdateConversation
    archive_conversation: ArchiveConversation
    restore_conversation: RestoreConversation
    delete_conversation: DeleteConversation
    give_feedback: GiveFeedback

    # Files
    upload_file: UploadFile
    list_files: ListFiles
    get_file: GetFile
    delete_file: DeleteFile
    follow_object_link: FollowObjectLink
    link_attachments: LinkAttachments

    # Shares
    create_share: CreateShare
    preview_share: PreviewShare
    list_shares: ListShares
    update_share: UpdateShare
    revoke_share: RevokeShare
    analyse_share: AnalyseShare
    view_share: ViewShare
    continue_share: ContinueShare

    # Profile cards
    get_profile_cards: GetProfileCards
    list_profile_cards: ListProfileCards
    start_card_session: StartCardSession
    check_answers: CheckAnswers
    answer_cards: AnswerCards
    summarise_profile: SummariseProfile

    # Pre-prompts
    list_preprompts: ListPreprompts
    offer_preprompts: OfferPreprompts
    create_preprompt: CreatePreprompt
    update_preprompt: UpdatePreprompt
    delete_preprompt: DeletePreprompt
    seed_preprompts: SeedPreprompts
    list_second_opinion_preprompts: Annotated[ListPreprompts, _SECOND_OPINION]
    offer_second_opinion_preprompts: Annotated[OfferPreprompts, _SECOND_OPINION]
    get_second_opinion_preprompt: Annotated[GetPreprompt, _SECOND_OPINION]
    create_second_opinion_preprompt: Annotated[CreatePreprompt, _SECOND_OPINION]
    update_second_opinion_preprompt: Annotated[UpdatePreprompt, _SECOND_OPINION]
    delete_second_opinion_preprompt: Annotated[DeletePreprompt, _SECOND_OPINION]
    seed_second_opinion: Annotated[SeedPreprompts, _SECOND_OPINION]
    seed_links: SeedLinks

    # Quote images
    list_quote_images: ListQuoteImages
    get_quote_image: GetQuoteImage
    list_quote_image_categories: ListQuoteImageCategories
    check_categories: CheckCategories
    create_quote_images: CreateQuoteImages
    update_quote_image: UpdateQuoteImage
    delete_quote_image: DeleteQuoteImage
    open_quote_image: OpenQuoteImage
    seed_quote_images: SeedQuoteImages

    # The knowledge base
    add_articles: AddArticles
    list_articles: ListArticles
    search_knowledge: SearchKnowledge
    evaluate_knowledge: EvaluateKnowledge
    embed_articles: EmbedArticles
    replace_vectors: ReplaceVectors
    retrieve: Retrieve

    # Data export and erasure
    read_owned_records: ReadOwnedRecords
    request_erasure: RequestErasure
    get_erasure: GetErasure
    erase_again: EraseAgain

    # Operation
    verify: Verify
