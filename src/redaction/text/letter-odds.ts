import { DIGIT, getCharClasses, LOWER, small, UPPER } from './chars.ts'
import { pattern } from './patterns.ts'

/**
 * How unlikely each letter is after each two others in English and in code, in eight steps. Made by
 * bench/build-letter-table from the words of assets/word-table.bin and a list of abbreviations.
 */
export const letterTable: readonly string[] = [
  'KCKKM\\LS[CTWgcK[WWjJkbKLUoGoGoOjoGjnGo_GoWjWkg>jfOo_No?o?ooOkoO__NT\\W^bJdSL[i_GnFoGjnFjfOooG_GlOjmFioGo^?oGoGog?mmGoOg[e_ol@]kTnooGnGoOooDeO?WoMm?l?mZO]eMo_GnGn?moGofOoW>_GoGgoGofGoWFf>fGno<o]GogRLk]_\\SbjUBUfGoGkOcnGiWOggooooonomo]7ooGf?eOogFofOogOOGkOSTKVbGWWFgGbOngGj^OVWnno__lXklLgoo?o?o?ogEogWogGoGbGgoGkgo_oCOOkOkNJoKWkOF^>gWmM<mUWgoGoGoGko?oWWo[',
  'KCKKM\\LS[CTWgkDmWWZRliJU^^SmWmOhmOlOWoWWGOjODoWSjOoOMZD\\DkMMcVJ_WVU]_gjCEaDm]gOoA_OkmOki_o_OoGEGlREj^OooFnFoOm]>lcWgWo[fWfjQgjKlonGn?oWnn=fVG_oOl=oG[ldodoWONUM^GQVLmS]gWBnGoGlLJmWWgWOBWEOMkWgI^nW\\TeW_[JTiRLV_NnFjNdmIlKgoWgogoglnfn^7ooLJMWGLLTkJmoGVOWjOUVSoAWoWWWGk?mfOlcOogmJ^GokZmkAmmnGo?_?ooGooloWCkKlWBZWlWoo_GWGm?loKocWoOC\\CTWkLDlKoOoGoGo?loOogWoC',
  'KCKKM\\LS[CTWgkDnWWZRnjJ__UV_GoGioOkgWoGGWOkOJo?kcOoWNdF_?l]Gl^Eg_GSLS_j[oYKn_]OoCoGknGkcGoWNgGSGk[Fj]OoWFnFoGm]>lcWgWLSNOoY[LcJmonOn?oWooKnNG_oMc=e?[[UmU__OGoGoGnoGooOo?DnGo?mUKoOWO_GKENO]e>nR]g_DkoV_kSFjSETOGoGkOknLI\\Wo__f_o_knemU7oo?oGo?ooGonOoWgGGmO\\gEoYOo_GgClOjlOjmGWOlTkOObKWjBon]Go?g?ooOon^o_=dEcG\\cFkUoggNFOkGm]RfZOmVUUMKOlJSkBoOoGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgl\\n_gaRkjJTooDFGoEifFkUOoWOo?lG\\o?lm?ooNdF[FlZFkNUgWMcTnOjJZjDg_oOoCGGknGk[GoWFgGJGk[Nj]OoW=fFnGdTFkeO_WEcC_gk[CkJdooGfGoOnnDeFGWoSn=\\FZ\\LnL_WO?oGoGeoGo_GoWDbGoGmUJo_Wo_FKLNFUcNnJUg_UTf]_kATjTL_gOoGkOkfJj\\GoGgogoglnfn^7ooGg?oGnoGooFoOWWGlO\\^Tc:S__GoLn?keGkgGno\\]\\oWiDSiBgonGg?gGooNnn^o_EbEcG\\cFkUoggNFOkGm]RfZOmVK=U^gkJSmKo_oGfGnGkeFm]UoJ',
  'KCKKM\\LS[CTWgkU]WOkJkjRU_MEOOONjKGl^GoO?_WiOSoGlkOo_Wn?o?ioWkogoOLMS_^kJ[YClfoGoKo?koGkdGo_Wo?\\GkUWkoWoOFo>oOm^?lcWgWMDDWolSMk;[nmGnGoWonEnV?_oEe=]G[[UmU__OOoGoGloOon_o?EoGo?n^Dog_ogGT5WO^m_oK^ognLVO_kBLkTEDlGoGkGknDj\\Wo_gg_ogknfn]7oo?oGoGooGonGoOWOWjGdLKoQWggO_NiGkfWkLWgWL=UWgZCSkDmmoGl?oGooOoogog>mFl?elGkfoooNFOkGm]RfZOmVSUENgjISlDoOoGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWglJlWoJKljBTgnDoOmO[_DjTG_WO]OkGLoGkYOo_McGN?jlOl]G_WUJlmoKJjjRl_lOgBoGkoOk[?oW?oGUGkTGjoOoW?o?oGngGmm_oW_\\\\?mkR]kJkolGn?oWooEnV?_oMc>fOJ[^n]__WN[DoGj_Ln\\ToGBf?oGm\\Bo_Vo_OBOVOleWnIUofoUkOWjRcjd<goGoGlGjoMjROo_oooooloooW7ooDMDUF[KLkC[WO_VWlOg^Tg9_ggENDjGlnVjjWgN]ZV__lCkiJoooGo?oGooGol^ogD[ElGllDkLooWOGOkOooQgiOogCLDKgmKDmEoWoOgGoGknGnf[oI',
  'KCKKM\\LS[CTWgkEo_GZJokJL_nDfGoFjfFkUOo_GWOjOKoFkcOoWMd>VFk]NkFM_WMDN_WcSoiCUWmMo=m?jmOlUWoONgGRGk[Nj]OoW=fEoGl]FkcO_OUCDOokjgjKmlmGeGoOnnDeM?WoL]=]G[SUmTWWO?oGoGmoGooGoOCfFoGmMBnZOoWNJDNNUdNnBUg_WUgW_k\\Gi_OdgFgGkOcfCjSGo__f_o_knemU7oo?oGo?ooGonOo_WWFjO\\USfIW_OTo?k?kT[lV_WGof_WoiRojLoolGg?gGooNnn^o_=dEcG\\cFkUgg_NFOkGm]RfZOmVDLDU_kBJkCgVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgl]oWOjJljJMW\\DfOoFjfGkUOoOGOOkOLOCkCOoWNdFVFk]>k^M_WUd]mokQNiKn]_OoCo?knGkcGoWOo?eGjnUjo_oOLoNn_lmNohgg_SCD_okROlClomGeGoOnnDeM?WoL]=]?[[UmUWWOGoGoGmoGonOo?<o?oOnVKogWog?]F_?gVEo\\WooLZ_W_kbDjJKW_OoGLGjnDk\\OoOgg_ogjnfn]7oo?oGoGooFooOo_OWWjO\\^TOIW__O_FiGlfGkdWgWEfMgGjKMjDoo]Gg?gGooNnn^o_=dEcG\\c>k]oggNFOkGm]RfZOmVKUM]_l;RjLo_oGfGo?kfNm]VoJ',
  'KCKKM\\LS[CTWgkT]VORJcjKT_\\EoOoNjo?j^Wo_?_OkOJoGjcOo_FdF_Gl]Gi^UgWGTMoWkKViCgUgOoKoOkoGld?o_FgGJGk[NjZOoWFnFo?m]>lcWgWTDDWnZRRkKdomGeGoOnnDeM?WoLZ=]G[[UmUWWOOn?oGloOoU_o?=o?oOnNLlgOogOT=W?^mGoKNogT\\W__bJCjKDOgGoGkGjnLj\\Oo_gggogjnfn]7ooGnGo?of?ndOo_WWNjO\\MDfIW__W_;SGjK]lk_WOcTSMgl:mjCoooGg?gGooNnn^o_>mFkGekGl^oogNFOkGm]RfZOmVTZNWolLYl;odoGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkUoWgiRmkRoooK_OoGioUk_Goo?gOlGDnWlkOo_Gb?OGklWmUW]Wo]lgoljoi<d_o_nJo?lnWmbOoGOoOQOfRVk]Og^FnFo?m]>lcOgWLKJWocJDdKcnm?fGoOnnDeN?WoMn6fGdd^n^ggWNcN^GQVOn[]gGCnGgGmFInWWo_FJKENUlWgJTg_o]o_olXoleGgoE_GkOjWJkJU_oooooolooof7ooFKFWOSMMjJ]gWMMMZNTNKdI_ogGWMkGl^OlcOg>]]^__l3elLoooGo?o?ooOno_o_EdEcG\\cFkUoggGOGlGnfZoaWnODLDU_kBJkCgVn?oGoWloGooWoY',
  'KCKKM\\LS[CTWgk<oLOkKkkLCWLDfGnEifFjUOoWGWOjOKoFkbOoWJd=VFk]NkVM_WO>Tgok[VjCnNoGoCoGjnGk[GoWFgGJGk[Nj]OoVEfEnGlUFkcO_OSLKGokBMlJlonGeGoOnnDeM?WoL]=]G[SUmTWWOF\\EfGZ^En\\MoGCfFoGmMBn^OoWFBDMNUdMeJTgWdNWLGR[]kLC_GGg?COcfLjSOo_gg_ogknfn]7ooETEVG\\TElSMgOWROkO\\]DcJWZ_FVEc?k]Nj[O_OSbgGOlJnjDlloGg?gGooNnn^o_ElFcGDcNlZoggNFOkGm]RfZOmVDLDU_kBJkCgVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgi[oG_b[mjRfdODgGoFjn?kUOo_GWGkOLoGkKOoWFdB_Gl]Gl^Ug_glOggkZ^iBfWOGoKoGjkGkdGoWFgGSOk[NjMOoW>n>oGm]FlcWgWgT?gojI\\lSn_o?fGoOnnDeN?WoMe=eG[ZUmU__OGn?o?loOoe_o?<o?oOmVKoOWo_OT>WGgn?o[VogM]k__dRMjL;OgGoGlGjn<k\\Wo_gg_ogjnfn]7oo=TF^G]TElTEgWGOWjGcFKgRWgOG_NjGlfGjdWgGRSUWWjJbjCoooGg?gGooNnn^o_>mNlG]lGl^oggNFOkGm]RfZOmVDMMU_jKKkDoVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkLoWO_JljJTULEoGoGko?l^Oo_O_OiOUo?klGo_UV<eGjkOkWW_WELMN_mJdjCdTWGoDo?loGjcOO_?oGSGldOjfWo_FoFoGm^?lDWgWLDCOoVJT]BlolGeGoOnnDeM?WoFnFo?kLVnNggGDmEoGomFo^Oo?Eo?o?l\\Dog_oOWS5VW^mWoSMogLLmGWmSK[KLGWGoKRGkoEjc_og_f_o_knemU7ooM\\F^G]]ElTFo?OWGl?egDoR_dWGlGjGloWjnOoETKLW^\\B]kBoloGo?oGooWoogog=dEcG\\cNk]oggNFOkGm]RfZOmVU^KNglJKk:oOlGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgmLoNMRZljJ_l]EmEoGimGk]Oo_GCOJGLoBkcWo_FdF^>l]NjNUgWN[^_okQfjKo^nGoCoGjo?kdGoWFgGJGk[Ni]OoWEfEoGl]>kcO_O_CMWokYolBgmmGfGoOnnDeF?WoMb=]G[[UmU__OOm?oGcgOoe_o?Fo?oGogEooGoO?T=WG\\mWoS^og]Sg^VSQMjJD_mFnGkObnGj[OoW_f_o_knemU7ooETF^O]T=lSUgW__GKGe^MoIOgOO_Fj?kfKkLWgOgSlOgjJmjBommGo?gGooOon^o_=dEcG\\cFkUoggNFOkGm]RfZOmVUUM^glLKk:o_oGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkLoWWYKlkQTgoEo?oOjoGj^GogOoGjGcgFkbOoGE^=oGkUMkUO_WNMTW_kSUZ;TLWGoFo?joGknGooMe=lGjmNjSG_W?o?oGlgGmlOo_MECNolJLVB\\mmOoGoWooEnW?_oO_<oGj[gleooOGnGo?loMonOo?Eo?oGn^Log_ogG]?gG_oGm]OoOkM]WOkBLjJDM^GoOmOjGEieOkgoogoolooof7ooNe?gGf]Lm]FoOOODd?d_KoZF_gGo=kGj^OjgWoWLSTOOkCLkB_lmGo?oGooGooOo_>mFk?elGkfoooNNOl?m^RfZOnVKMUTgj<KmSoOoGgGoGknOn^^oB',
  'KCKKM\\LS[CTWgnBlWgSKljJUmoB_E_CjmOlCM__GOOkG=oOk[OogMSEMGc]MmLOWGT[\\gWkJejBkcWOoIoGmoOljOoWOoODGl[WjoOgGFo>oGnKGlLWgO]JVWoja_lCnooGn?oGnnEeVG_oTW?oGSUWlNWWONZEmGRnFo\\KoWCgDoGmDInogoWGKKNMe\\NeB[gOmbcg_BJkkJdomO_GbOdgBkSOgWgogoglnfn^7ooLSOVGMKLkJ__OWOGlGeWS_AWnWEWFbGleDlZ__WlTgOoljlj:nooOo7oGooWoo_oWL[DeNjQUmLogWWOOm?lo[ocWoG>NBdOlLLmMogoOg?oGjnGn^^oR',
  'KCKKM\\LS[CTWglLoWOcblYBU_VLfGoNJfGjUOo_GWOkOLo?kbOoWFdCV>k]Fk^M_WOCU_okb^iKo_nOoKoGknOjd?oWFgGSOk\\KjMOoWGoGoGlo=cl_oG_CEWo[RUbJemn?fGoOnnDeN?WoUE>F?c\\]mU__W?oGoGnoFooOoODf>oCmUKo_Gk_OK=FW^mCnS]o_gT__ORZKjCUVoOo?mGjoFj^eoO_f_o_knemU7ooOo?oGoo?ogWogOWOkGUgMWROW?O_Gm?lmGl^G_Wc[\\WoZRljJoomGo?gGooGon^o_=kFcG\\cNj]oggNFOkGm]RfZOmVLUM]_lKJiKo_oGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkKmWOZJljJT^VDfGnEifFjUOoWGWOjOKoFkbOoWMd=V>k]NkVM_WMLTV_cJ\\YCd\\_GoCoGjnGk[GoWFgGJGk[Nj]OoVEfEnGlUFkcO_OLCLOocJDdBcnmGeGoOnnDeM?WoL]=]G[SUmTWWOFbFgGZ^No\\UkGCfFoGmMBn^OoWFBDMNUdMeJTgWTTeVW[JKjKDV_FgGcOcfCjCOo__f_o_knemU7ooETEVGTTElSMgONNNkG[UK^AO_WF^EcGl^Nk\\O_G?o?o?neOn^onoGg?gGooNnn^o_EdEcG\\cFkUgg_NFOkGm]RfZOmVDLDU_kBJkCgVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkClOOcJklJ[WUFoGo?joGkgOo_OoGiOd_OlUEo_L^=o?j\\GkWMWODCKT]cK[[CcWoLWDoOjoGll?ogD_?dGknGk_LoOGo?oGngGmLGoOKCCOocJLoB[olGf?oOnnEeV?WoDl<oGkLTlOgWOGkMmGmoEoV__?>\\Em?keEo]W__?]D_GmUMoTooWTLdNV[JKdKCM^OOGkOj]FjTOoogggogknfn]7ooGo?o?onGofOoGGV?jGlfDobWW_E_Eb?kUNl^O_VSCKWOlBcmConn?o?o?loOooooo>mGkOelGjfoooNFOkGm]RfZOmVK\\FfglJAmDoWoGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkKlOORRkkRKVWEoGoFjoGkVGoOGoGkGdoFi]Oog>mF_GLfGk_Vg_MLM^gjJ\\RK\\ToGoLoGloGlk?oOOoOSGkdWiNGoWE^EoGlUGknW_WSKLOokJEmJbmmGfGoOnnDeN?WoOo?o?lmgodOoGGoGoGnoGonOo?>oGoGogEomOooG\\F_Ggn?oTGooTLd_fjBTjmE_oFo?kGcnGjoWo_ooooojoooW7ooFE>_Oe]Fm\\CoWEgDl?kUMedOWOFeEeGl^FjoO_WJM\\WWkKbjNoooGG?GGooOon^o_Gl?mGnmGnoWooNKOlGm]RfZOnS]E^_okA\\kFogoGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgjNoNORRljRV]gEoGoFjoGj^Go_Oo_h_\\oLl]_o_NmF_?lf?l_Vg_NUU_okR]iMf\\oOoToGloOlm7ogOoOSOkdGicOo[Me<nGlUEb]OWNMEKWolK=eTjoo?fGoOnnDeN?WoL]=]G[ZUmUWWOOo?oGmo_oWoo?Eo?oWk_CWl_ogGT>WGfnWoSNog]L]W_[JKi\\NUoGoOkOjoDjLOo__f_o_knemU7oo?gGo?noGooGoO\\DOjOTFLoR_cWOo>mGjoMkg_oOCS\\gWlKKiKonoGg?gGooNnn^o_GnGS?fmGlgoooNNOlGm[RfYOnVVVVfgjLYjUogoGfGnGkeFm]UoJ',
  'KCKKM\\LS[CTWgl[o_WY[ojRl__JTO]LZMTkBM__OGOjODoWliWo_MjEG?lmMn_WoWL[L_ojamjCWooOoPoWloWmlWogMoOAWkT_m_OogEfEnGlUFkcO_O]KOoojb\\kAlol?fGoOnnDeN?WoMe=]G[[UjU__O>\\MWOQ\\LoJ_oWB]EoOoEJoOUooLBLLMLT\\dJ^Wgf]ngWe[]jR>_OL]E[O[oJkJU__gg_ogknfn]7ooCSEOG[STbK\\oWNWOjGRl\\^I_o_MTERGk^MkJW__TTUWGkB\\kConnGo7gGooOon^o_EdEcG\\cFkUgg_ONGlGmfJnb?n_LLDU_kKJkCgVnOgOoGknOn^^oQ',
  'KCKKM\\LS[CTWgkLoOWiZmjJgooDfGnEifFjUOoWGWOjOKoFkbOoWMd=V>k]NkVM_W_^f^_jZoiLom_GoCoGjnGk[GoWFgGJGk[Nj]OoVEfEnGlUFkcO_OMCOWokbNkBkooGeGoOnnDeM?WoL]=]G[SUmTWWOFdEgGZ^En\\MoGCfFoGmMBn^OoWFBDMNUdMeJTgWoEo_OI\\^jcFOOFOGkOccCjSOo__f_o_knemU7ooETEVGTTElSMgOOFNkG\\UK^IO_WF^EcGl^Fk\\O_OTTMWWiKdkKoooGo?g?ooOon^oOEdEcG\\cFkUgg_NFOkGm]RfZOmVLLDU_kKJkCgFnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgmdmWOSSniJl\\GDoGoNjoGkUOoO?WOjOKoGkcOoWWm?g?kdOjgNgOCcGoOjkmiDmooGoKoGjoOkd?oWNgGSGk[Nj]OoWGo?o?ooGnm_oWoKKWoZZdkBlolGfGoOnnDeN?WoUeFfGc\\]mE_?OOm>oGcgNoeVoG<f>oGmMJo^Oo_TKDKGcn\\lKdWGlo]ooTCFieL_oGgGkObfDjSOo__f_o_knemU7ooGfGg?ffGneWoOOOOkGc^SgJOgOO_FjGlfGkdWgWTTUWWkB\\jConnGg?gGooNnn^o_EdEcG\\cFk]oGgNFOkGm]RfZOmVLLDU_kKJkCgVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgkDnG_cCmlJ^ggDfGoEifFkUOoWGg?kGRoGklGogMd=VFk]NkVM_WV;]ggkBeiLmeoGoCoGjnGk[GoWFgGJGk[Nj]OoV>oFoGm^GkkOgWKCN_okCFnClooGeGoOnnDeM?WoL]=]G[SUmTWWOFdFg?Z^MoDMoGCfFoGjMBn^Oo_FBDMNUdMeJTgW]SeW_\\JSiSLVgGo?mOjoEjeWoogg_ogknfn]7ooETEVGTTElSMgOOKNkOZUK^IO_WLo?TGnlOinOoW;[]__jSdjLoooGg?gGooNnn^o_EdEcG\\cFkUgg_NFOlGm]RfZOjVLLLE_jKJlLgVkGfGnGkeFm]UoI',
  'KCKKM\\LS[CTWgkMoL_JIlj\\fWgEoGoNjoGjVGo_WgWiWQoGll_ogFlF_Gl[Oi^Vg_D[fgoj[liCnNoOoKoGkoOjd?oWGoGSGkdGjfOoWFnFoOm]>lcWgWULDWocRMl;donGeGoOnnDeM?WoL]=]G[SUmTWWOOmGo?boGoeLoOCoGoOkCBoo_ogG;FOOgnGoZflgf\\kWgLZ\\j\\<WoOoGjGlkEkb_oo_f_o_knemU7oo>[N_?e]Fm\\NoWWOLm?lO]WQWogOgFiGmgWleWgWLDTWWjJ[jConnGg?gGooNnn^o_>mFjG]lGk^oggNNOl?m]RfZOnVDLDU_kBJkCgVnGfGfGkeFm]UoJ',
  'KCKKM\\LS[CTWgSUnO_cZmiQ^ggDfGnEifFjUOoWGWOjOKoFkbOoWMd=V>k]NkVM_WL]^ggkJeiKneoGoCoGjnGk[GoWFgGJGk[Nj]OoVEfEnGlUFkcO_O^M=WojZRmTmooGeGoOnnDeM?WoL]=]G[SUmTWWONdFg?[fNo\\VoGCfFoGmMBn^OoWFBDMNUdMeJTgW][n_OdICk\\U_gFgGcObfCjSOo__f_o_knemU7ooETEVGTTElSMgOONNjG\\UK^IO_WFVEc?k]Nj[O_OTDUWWkJ\\iConnGg?gGooGon^o_EdEcG\\cFkUgg_NFOkGm]RfZOmVLLDU_kCJkCgVnGoOo?ioWoggoC',
]

/** The table has eight steps, in bits. */
export const STEP_BITS = 1.4
const STATES = 27
const LETTERS = 26
/** The first of the 64 characters that each hold two steps. */
export const FIRST_CHAR = 48

/** The cost of a random letter. */
const RANDOM_BITS = Math.log2(LETTERS)

function decodeTable(lines: readonly string[]): Float32Array {
  const costs = new Float32Array(STATES * STATES * LETTERS)
  let index = 0
  for (const line of lines)
    for (let at = 0; at < line.length; at += 1) {
      const steps = line.charCodeAt(at) - FIRST_CHAR
      costs[index] = (steps >> 3) * STEP_BITS - RANDOM_BITS
      costs[index + 1] = (steps & 7) * STEP_BITS - RANDOM_BITS
      index += 2
    }
  return costs
}

let costs: Float32Array | undefined

/** In words the case seldom changes; in random text it changes at every second letter. */
const CASE_CHANGE = 2.5
const CASE_KEPT = -0.7
const CAPITAL_AGAIN = 1.2
/** Words have more than one letter between two capitals. */
const SHORT_HUMP = 1
const CAPITALS_END = 2
const DIGIT_CHANGE = 2.5
/** A character that joins words says nothing. Others occur in code too. */
const SIGN = 1.5
const joiners = new Set(Array.from('._-/:', (sign) => sign.charCodeAt(0)))

/** The part of a value that is judged. */
const JUDGED_CHARS = 128

/**
 * Evidence that a value is random, in bits: positive where its letters, case, digits and punctuation are more likely
 * random than words of a language or of code, negative for words.
 */
export function randomBits(value: string): number {
  costs ??= decodeTable(letterTable)
  const length = Math.min(value.length, JUDGED_CHARS)
  let bits = 0
  let before = 0
  let capitals = 0
  let hump = 0
  let first = 0
  let second = 0
  let lower = 0
  let upper = 0
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    const kind = getCharClasses(code) & (LOWER | UPPER | DIGIT)
    if (kind === 0) {
      if (code < 128 && !joiners.has(code)) bits += SIGN
      first = second = capitals = hump = 0
    } else if (kind === DIGIT) {
      if (before === LOWER || before === UPPER) bits += DIGIT_CHANGE
      first = second = capitals = hump = 0
    } else {
      if (before === DIGIT) bits += DIGIT_CHANGE
      if (kind === UPPER) {
        upper += 1
        if (before === LOWER) {
          bits += hump < 3 ? CASE_CHANGE + SHORT_HUMP : CASE_CHANGE
          hump = 0
          first = second = 0
        } else if (before === UPPER) bits += CAPITAL_AGAIN
        capitals += 1
      } else {
        lower += 1
        if (capitals > 1) bits += CAPITALS_END
        capitals = 0
      }
      hump += 1
      const third = small(code) - 96
      bits += costs[(first * STATES + second) * LETTERS + third - 1] ?? 0
      first = second
      second = third
    }
    before = kind
  }
  // Where all letters have one case, case says nothing.
  if (lower > 0 && upper > 0) bits += (lower + upper) * CASE_KEPT
  else if (upper > 1) bits -= (upper - 1) * CAPITAL_AGAIN
  return bits
}

/** A shorter value needs more evidence per character. */
const SHORTEST = 8
const CERTAIN_BITS = 2
const SHORT_BITS = 10
const BITS_PER_CHAR = 0.5

/** Punctuation that does not join words, between letters or digits: rare in code. */
const FEWEST_BITS = 1

/** Whether a value cannot be words: `UkbLiVdPbjKt`, and not `userPassword`. */
export function isUnreadable(value: string): boolean {
  if (value.length < SHORTEST) return false
  const least = pattern.signWithin.test(value)
    ? FEWEST_BITS
    : Math.max(CERTAIN_BITS, SHORT_BITS - value.length * BITS_PER_CHAR)
  return randomBits(value) >= least
}

/** One in fifty thousand random bodies of sixteen letters scores lower. */
const WORD_BITS_PER_CHAR = -0.35

/** Words after a credential prefix: `xapp-onboarding-framework`, `glpat-style-tokens-in-prose`. */
export function readsAsWords(value: string): boolean {
  const length = Math.min(value.length, JUDGED_CHARS)
  return randomBits(value) < length * WORD_BITS_PER_CHAR && !value.split(pattern.wordBreak).some(isUnreadable)
}
